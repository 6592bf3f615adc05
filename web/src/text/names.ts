// Names that the service sends as identifiers.

import type { Move } from '../api/shapes.ts';
import { t } from './language.ts';

export const handNames: Readonly<Record<Move, string>> = {
  rock: t('rock'),
  paper: t('paper'),
  scissors: t('scissors'),
};
