// The functions that run in the worker: the file that runs standalone as a verifier, and what reads the log.

import {
  blockHash,
  document,
  houseMove,
  outcome,
  parseKey,
  previousSeed,
  proofsIn,
  statementOf,
  textHash,
  txHash,
  verifyProof,
} from '../../../verify/ts/verify.ts';
import { blockRoot, compareCheckpoints, contains, cosigned, witnessed } from '../log/log.ts';

export const library = {
  blockHash,
  blockRoot,
  compareCheckpoints,
  contains,
  cosigned,
  document,
  houseMove,
  outcome,
  parseKey,
  previousSeed,
  proofsIn,
  statementOf,
  textHash,
  txHash,
  verifyProof,
  witnessed,
};
export type Library = typeof library;
