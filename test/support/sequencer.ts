import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Vitest's order, which begins with what failed and what took longest when it last ran here, in three groups: a worker process continues
 * with the next file only if that belongs to the same project; and a slow file that starts last would be waited for alone.
 */
export class Sequencer extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId, project }: TestSpecification): number => {
      const isSlow = /\.(?:slow|long)\.test\.ts$/.test(moduleId);
      if (project.config.isolate) return isSlow ? 0 : 1;
      if (project.name === 'clients') return 2;
      return isSlow ? 3 : 4;
    };
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b));
  }
}
