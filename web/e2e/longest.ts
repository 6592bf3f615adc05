import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The slowest files, in this order. If one of them started last, it would run alone at the end. */
const longest = [
  'appearance',
  'sections',
  'journeys',
  'gate',
  'duels',
  'play',
  'economy',
  'fork',
  'tampering',
  'cups',
];

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const position = ({ moduleId }: TestSpecification) => {
      const index = longest.findIndex((name) => moduleId.endsWith(`/${name}.e2e.ts`));
      return index < 0 ? longest.length : index;
    };
    return (await super.sort(files)).sort((a, b) => position(a) - position(b));
  }
}
