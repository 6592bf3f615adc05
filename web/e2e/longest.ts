import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The files that take longest, in this order: begun last, one of them would go on alone. */
const longest = ['looks', 'places', 'gate', 'duels', 'play', 'economy', 'fork', 'lies'];

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification) => {
      const at = longest.findIndex((name) => moduleId.endsWith(`/${name}.e2e.ts`));
      return at < 0 ? longest.length : at;
    };
    return (await super.sort(files)).sort((a, b) => place(a) - place(b));
  }
}
