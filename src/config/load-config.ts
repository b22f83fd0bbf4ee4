import { join } from 'node:path';
import type { Config } from '../../generated/config.ts';
import { validateConfig } from '../../generated/config-validator.js';
import { conflictsBeside } from './conflicts-beside.ts';
import { crossCheck } from './cross-check.ts';
import { describeProblem } from './describe-problem.ts';
import { type ConfigSources, mergeSources } from './merge-sources.ts';
import { serviceError } from '../base/service-error.ts';

/**
 * Loads the settings of the process: defaults, then the file, then the environment, then the command line. Deeply frozen.
 *
 * @throws ServiceError `invalidConfig` with every problem at once, one per line: the setting, its value (never a secret's) and
 *   the bound that it violates.
 */
export function loadConfig(sources: ConfigSources): Config {
  const { value, problems } = mergeSources(sources);
  if (problems.length > 0) throw invalid(problems);
  if (!validateConfig(value)) {
    const problems = validateConfig.errors ?? [];
    throw invalid([
      ...problems.map((problem) => describeProblem(problem, value)),
      ...conflictsBeside(problems, value),
    ]);
  }
  const conflicts = crossCheck(value);
  if (conflicts.length > 0) throw invalid(conflicts);
  return deepFreeze(value);
}

/** Returns the path of the file that signed audit log heads are appended to. */
export function headsFileOf({ audit_heads_file: file, data_dir: dataDir }: Config): string {
  return file ?? join(dataDir, 'audit-heads.jsonl');
}

function invalid(problems: readonly string[]): Error {
  const head = problems.length === 1 ? 'The configuration has a mistake:' : 'The configuration has mistakes:';
  return serviceError('invalidConfig', {
    problems: [head, ...problems.map((problem) => `  ${problem}`)].join('\n'),
  });
}

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) Object.values(Object.freeze(value)).forEach(deepFreeze);
  return value;
}
