// The verifier of proofs, the very file that others run alone. Loaded when something is to be checked.

export type { Check, Report } from '../../verify/ts/verify.ts';

export const verifier = () => import('../../verify/ts/verify.ts');
