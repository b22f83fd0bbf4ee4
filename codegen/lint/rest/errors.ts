import { type ProblemModel, readProblems, statusOf } from '../../model/errors.ts';
import { provocations } from '../../contract/rest/cases.ts';
import { sessionValues } from '../../contract/rest/role-cases.ts';
import { isSuccess, type Provocation } from '../../model/rest/operation.ts';
import { errorNamesIn } from '../../model/rest/rest.ts';
import { namesOf } from '../../model/rest/service.ts';
import { pointerTo, type Problem } from '../../problem.ts';
import { finding } from '../ledger/rule.ts';
import { allowedNames } from '../allowed-names.ts';
import type { RestDocuments, RestRule } from './rule.ts';

/**
 * An operation has one success; an error is listed once, under its status; its example fills its context; and the contract has a way to
 * provoke it.
 */
export const checkErrors: RestRule = (documents) => {
  const problems = new Map(readProblems(documents.sources).map((error) => [error.name, error]));
  return [
    ...documents.operations.flatMap((entry) => [
      ...checkStatuses(entry, problems, documents),
      ...checkContexts(entry, problems, documents),
      ...checkWays(entry, documents),
    ]),
    ...checkNames(documents),
  ];
};

type Entry = RestDocuments['operations'][number];
type Problems = ReadonlyMap<string, ProblemModel>;

const checkStatuses = (
  { file, operation }: Entry,
  problems: Problems,
  { head }: RestDocuments,
): readonly Problem[] => {
  const successes = Object.keys(operation.responses).filter(isSuccess);
  const common = errorNamesIn({ ...operation, responses: {} }, head);
  return [
    ...(successes.length === 1
      ? []
      : [finding('errors', { file, pointer: '/responses' }, 'an operation has one status of success')]),
    ...Object.entries(operation.responses).flatMap(([status, { errors = [] }]) =>
      errors.flatMap((name, index) => {
        const pointer = `/responses/${status}/errors/${index}`;
        const error = problems.get(name);
        if (error && String(statusOf(error)) !== status)
          return [finding('errors', { file, pointer }, `${name} has status ${statusOf(error)}`)];
        return common.includes(name)
          ? [finding('errors', { file, pointer }, `every operation of this kind already has ${name}`, false)]
          : [];
      }),
    ),
  ];
};

const checkContexts = (
  { file, operation }: Entry,
  problems: Problems,
  { head }: RestDocuments,
): readonly Problem[] => {
  const names = errorNamesIn(operation, head);
  return Object.entries(operation['x-examples'] ?? {}).flatMap(([name, context]) => {
    const pointer = `/x-examples/${name}`;
    if (!names.includes(name))
      return [
        finding(
          'errors',
          { file, pointer },
          `the operation does not answer ${name}${allowedNames(name, names)}`,
        ),
      ];
    const known = Object.keys(problems.get(name)?.context ?? {});
    const differs =
      known.length !== Object.keys(context).length || known.some((member) => !(member in context));
    return differs
      ? [
          finding(
            'errors',
            { file, pointer },
            `expected the context of ${name}: ${known.join(', ') || 'empty'}`,
          ),
        ]
      : [];
  });
};

const checkWays = ({ file, operation }: Entry, { model }: RestDocuments): readonly Problem[] => {
  const whole = model();
  const found = whole.operations.find(({ id }) => id === operation.operationId);
  return (found?.errors ?? [])
    .filter(({ error }) => found && provocations(found, error.name, whole).length === 0)
    .map(({ error }) =>
      finding('errors', { file, pointer: '/x-provoke' }, `nothing says how ${error.name} is provoked`, false),
    );
};

/** Everything that a way to an error names exists, and everything that exists is named. */
const checkNames = ({ scenario, operations, head, service }: RestDocuments): readonly Problem[] => {
  const { scenarioFile } = namesOf(service);
  const ways = [
    ...waysIn(scenarioFile, '/provoke', scenario.provoke),
    ...operations.flatMap(({ file, operation }) => [
      ...waysIn(file, '/x-provoke', operation['x-provoke'] ?? {}),
      { file, pointer: '/x-live', error: undefined, way: operation['x-live'] ?? {} },
      ...Object.entries(operation.requestBody?.examples ?? {}).map(([name, { live = {} }]) => ({
        file,
        pointer: `/requestBody/examples/${name}/live`,
        error: undefined,
        way: live,
      })),
    ]),
  ];
  const answered = new Set(operations.flatMap(({ operation }) => errorNamesIn(operation, head)));
  const used = new Set(['token', ...sessionValues(head), ...ways.flatMap(({ way }) => valuesIn(way))]);
  const conditions = new Set(ways.map(({ way }) => way.condition));
  return [
    ...ways.flatMap(({ file, pointer, error, way }) => [
      ...valuesIn(way)
        .filter((name) => !(name in scenario.values))
        .map((name) =>
          finding(
            'scenario',
            { file, pointer },
            `scenario.yaml has no value ${name}${allowedNames(name, Object.keys(scenario.values))}`,
          ),
        ),
      ...(way.condition === undefined || way.condition in scenario.conditions
        ? []
        : [
            finding(
              'scenario',
              { file, pointer },
              `scenario.yaml has no condition ${way.condition}${allowedNames(way.condition, Object.keys(scenario.conditions))}`,
            ),
          ]),
      ...(error === undefined || answered.has(error)
        ? []
        : [
            finding(
              'scenario',
              { file, pointer },
              `no operation answers ${error}${allowedNames(error, answered)}`,
            ),
          ]),
    ]),
    ...Object.keys(scenario.values)
      .filter((name) => !used.has(name))
      .map((name) => unusedName(scenarioFile, `/values/${name}`)),
    ...Object.keys(scenario.conditions)
      .filter((name) => !conditions.has(name))
      .map((name) => unusedName(scenarioFile, `/conditions/${name}`)),
  ];
};

const unusedName = (file: string, pointer: string): Problem =>
  finding('scenario', { file, pointer }, 'nothing uses it', false);

const waysIn = (file: string, at: string, provoke: Readonly<Record<string, readonly Provocation[]>>) =>
  Object.entries(provoke).flatMap(([error, list]) =>
    list.map((way, index) => ({ file, pointer: pointerTo(at, error, index), error, way })),
  );

const valuesIn = (value: unknown): readonly string[] => {
  if (typeof value === 'string') return value.startsWith('$') ? [value.slice(1)] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(valuesIn);
};
