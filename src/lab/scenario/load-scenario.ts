import { readFileSync } from 'node:fs';
import { parse, YAMLError } from 'yaml';
import type { Scenario } from '../../../generated/lab.ts';
import { validateScenario } from '../../../generated/lab-validator.js';
import { serviceError } from '../../base/service-error.ts';
import { describeValueProblem } from '../../config/describe-problem.ts';
import { FAULT_KINDS, type FaultSource, SLOTS } from './fault-kinds.ts';

/**
 * Loads a scenario from a YAML or JSON file, defaults filled in.
 *
 * @throws ServiceError `invalidCommand` with every problem at once, one per line: where it is, the value and what is allowed.
 */
export function loadScenario(path: string): Scenario {
  const value = readDocument(path);
  if (!validateScenario(value))
    throw invalid(
      path,
      (validateScenario.errors ?? []).map((problem) => describeValueProblem(problem, value)),
    );
  const conflicts = value.faults.flatMap(checkSource);
  if (conflicts.length > 0) throw invalid(path, conflicts);
  return value;
}

function readDocument(path: string): unknown {
  try {
    return parse(readFileSync(path, 'utf8')) as unknown;
  } catch (error) {
    if (error instanceof YAMLError)
      throw invalid(path, [`is not YAML (${error.code}, line ${error.linePos?.[0].line ?? '?'})`], error);
    throw invalid(path, [error instanceof Error ? error.message : String(error)], error);
  }
}

function checkSource({ part, kind, ...spans }: FaultSource, index: number): readonly string[] {
  const at = `faults.${index}`;
  const kinds = FAULT_KINDS[part];
  const bound = SLOTS[kind];
  const backward = Object.entries(spans).flatMap(([name, span]) => {
    const [least = 0, most = 0] = span ?? [];
    return least > most
      ? [`${at}.${name} is ${JSON.stringify(span)}; the first number must not be above the second one`]
      : [];
  });
  return [
    ...(kinds.includes(kind) ? [] : [`${at}.kind is "${kind}"; a ${part} has ${kinds.join(', ')}`]),
    ...(spans.slots !== undefined && bound === undefined
      ? [`${at}.slots has no effect with "${kind}"; only ${Object.keys(SLOTS).join(', ')} have it`]
      : []),
    ...(spans.slots !== undefined && bound !== undefined && (spans.slots[1] ?? 0) > bound.most
      ? [`${at}.slots is ${JSON.stringify(spans.slots)}; with "${kind}" at most ${bound.most}`]
      : []),
    ...backward,
  ];
}

function invalid(path: string, problems: readonly string[], cause?: unknown): Error {
  const head = problems.length === 1 ? 'a mistake' : 'mistakes';
  const reason = [`the scenario ${path} has ${head}:`, ...problems.map((problem) => `  ${problem}`)].join(
    '\n',
  );
  return serviceError('invalidCommand', { reason }, cause);
}
