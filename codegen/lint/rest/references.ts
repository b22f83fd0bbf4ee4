import { posix } from 'node:path';
import { isJsonObject } from '../../json.ts';
import { readProblems } from '../../model/errors.ts';
import { fileTitle } from '../../model/ledger.ts';
import { PLANS_FILE } from '../../model/process.ts';
import { authOf, kindsOf } from '../../model/rest/operation.ts';
import { valueAt } from '../../model/rest/schema.ts';
import { namesOf } from '../../model/rest/service.ts';
import { pointerTo, type Problem } from '../../problem.ts';
import { finding } from '../ledger/rule.ts';
import { allowedNames } from '../allowed-names.ts';
import type { RestDocuments, RestRule } from './rule.ts';

/** A file is named after its operation or schema; everything that a document names exists; every schema file is used. */
export const checkReferences: RestRule = (documents) => [
  ...misnamed(documents),
  ...missingTargets(documents),
  ...missingMembers(documents),
  ...unused(documents),
  ...unknownNames(documents),
  ...misfitAccess(documents),
];

const misnamed = ({ operations, schemas }: RestDocuments): readonly Problem[] => [
  ...operations
    .filter(({ file, operation }) => fileTitle(file) !== operation.operationId)
    .map(({ file, operation: { operationId } }) =>
      finding(
        'names',
        { file, pointer: '/operationId' },
        `the file of ${operationId} must be ${operationId}.yaml`,
      ),
    ),
  ...[...schemas]
    .filter(([title, { schema }]) => schema.title !== title)
    .map(([title, { file }]) =>
      finding('names', { file, pointer: '/title' }, `the title must be ${title}, as the file is called`),
    ),
];

const missingTargets = ({ parts, schemas, sources }: RestDocuments): readonly Problem[] => {
  const files = [...schemas.values()].map(({ file }) => file);
  return parts.flatMap(({ file, pointer, schema }) => {
    const target = schema.$ref === undefined ? undefined : posix.join(posix.dirname(file), schema.$ref);
    return [
      ...(target === undefined || files.includes(target)
        ? []
        : [
            finding(
              'references',
              { file, pointer: `${pointer}/$ref` },
              `there is no ${target}${allowedNames(target, files)}`,
            ),
          ]),
      ...Object.entries(schema['x-limit'] ?? {})
        .filter(([, place]) => !Number.isInteger(valueAt(place, sources)))
        .map(([keyword, place]) =>
          finding(
            'references',
            { file, pointer: pointerTo(pointer, 'x-limit', keyword) },
            `there is no number at ${place}`,
          ),
        ),
    ];
  });
};

/** Members that keywords name are members of the schema. */
const missingMembers = ({ parts }: RestDocuments): readonly Problem[] =>
  parts.flatMap(({ file, pointer, schema }) => {
    const known = Object.keys(schema.properties ?? {});
    const named = [
      ...(schema.required ?? []).map((name) => ['required', name] as const),
      ...Object.entries(schema.dependentRequired ?? {})
        .flatMap(([name, others]) => [name, ...others])
        .map((name) => ['dependentRequired', name] as const),
      ...(schema['x-conflicts'] ?? [])
        .flatMap(({ member, with: others }) => [member, ...Object.keys(others)])
        .map((name) => ['x-conflicts', name] as const),
      ...Object.values(schema['x-last-index'] ?? {}).map((name) => ['x-last-index', name] as const),
    ];
    return named
      .filter(([, name]) => !known.includes(name))
      .map(([keyword, name]) =>
        finding(
          'references',
          { file, pointer: `${pointer}/${keyword}` },
          `no member is called ${name}${allowedNames(name, known)}`,
        ),
      );
  });

/** Schemas that the generator itself uses. */
const BUILT_IN = ['Problem', 'FieldProblem'];

const unused = ({ parts, schemas }: RestDocuments): readonly Problem[] => {
  const ofSchemas = new Set([...schemas.values()].map(({ file }) => file));
  const reached = new Set<string>();
  const queue = [...BUILT_IN, ...refsOf(parts.filter(({ file }) => !ofSchemas.has(file)))];
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
    if (reached.has(next)) continue;
    reached.add(next);
    const { file } = schemas.get(next) ?? {};
    queue.push(...refsOf(parts.filter((part) => part.file === file)));
  }
  return [...schemas]
    .filter(([title]) => !reached.has(title))
    .map(([, { file }]) =>
      finding('references', { file, pointer: '' }, 'no operation or event uses this schema', false),
    );
};

const refsOf = (parts: RestDocuments['parts']): readonly string[] =>
  parts.flatMap(({ schema }) => (schema.$ref === undefined ? [] : [fileTitle(schema.$ref)]));

/** A name in a document, and the allowed names. */
type Use = {
  readonly file: string;
  readonly pointer: string;
  readonly name: string;
  readonly known: readonly string[];
  readonly what: string;
};

const unknownNames = (documents: RestDocuments): readonly Problem[] => {
  const { head, operations, sources, service } = documents;
  const { headFile } = namesOf(service);
  const plans = sources.get(PLANS_FILE);
  const errors = readProblems(sources).map(({ name }) => name);
  const headers = Object.keys(head.components.headers);
  const prices =
    isJsonObject(plans) && isJsonObject(plans.wallet_prices) ? Object.keys(plans.wallet_prices) : [];
  const rates = Object.entries(isJsonObject(plans) ? plans : {}).flatMap(([name, row]) =>
    isJsonObject(row) && 'window_seconds' in row ? [name] : [],
  );
  const errorUse = (file: string, pointer: string) => (name: string, index: number) => ({
    file,
    pointer: `${pointer}/${index}`,
    name,
    known: errors,
    what: 'errors.yaml has no problem',
  });
  const uses: readonly Use[] = [
    ...Object.entries(head['x-errors']).flatMap(([kind, names]) =>
      names.map(errorUse(headFile, `/x-errors/${kind}`)),
    ),
    ...Object.entries(head['x-headers']).flatMap(([kind, names]) =>
      names.map((name, index) => ({
        file: headFile,
        pointer: `/x-headers/${kind}/${index}`,
        name,
        known: headers,
        what: 'unknown header',
      })),
    ),
    ...operations.flatMap(({ file, operation }) => {
      const use =
        (pointer: string, known: readonly string[], what: string) =>
        (name: string, index: number): Use => ({ file, pointer: `${pointer}/${index}`, name, known, what });
      return [
        ...operation['x-scopes'].map(use('/x-scopes', Object.keys(head['x-scopes']), 'unknown scope')),
        ...(operation['x-price'] ?? []).map(use('/x-price', prices, 'plans.yaml has no price')),
        ...[operation['x-rate'] ?? []].flat().map((name) => ({
          file,
          pointer: '/x-rate',
          name,
          known: rates,
          what: 'plans.yaml has no rate limit',
        })),
        {
          file,
          pointer: '/tag',
          name: operation.tag,
          known: head.tags.map((tag) => tag['x-tag']),
          what: 'unknown tag',
        },
        ...(operation.parameters ?? []).map(
          use('/parameters', Object.keys(head.components.parameters), 'unknown header'),
        ),
        ...Object.entries(operation.responses).flatMap(
          ([status, { errors: own = [], headers: names = [] }]) => [
            ...own.map(errorUse(file, `/responses/${status}/errors`)),
            ...names.map(use(`/responses/${status}/headers`, headers, 'unknown header')),
          ],
        ),
      ];
    }),
  ];
  return [
    ...uses
      .filter(({ name, known }) => !known.includes(name))
      .map(({ file, pointer, name, known, what }) =>
        finding('references', { file, pointer }, `${what} ${name}${allowedNames(name, known)}`),
      ),
    ...operations.flatMap(({ file, operation }) =>
      kindsOf(operation).includes('idempotent') && operation.method !== 'post'
        ? [finding('references', { file, pointer: '/x-idempotent' }, 'only a POST takes an idempotency key')]
        : [],
    ),
    ...operations.flatMap(({ file, operation }) =>
      operation.path.includes('{id}') === (operation.id === undefined)
        ? [
            finding(
              'references',
              { file, pointer: '/id' },
              'only a path with {id} has, and needs, the schema of its id',
            ),
          ]
        : [],
    ),
  ];
};

/** The roles that may call an operation have its scopes; others that have them may be left out. */
const misfitAccess = ({ head, operations }: RestDocuments): readonly Problem[] =>
  operations.flatMap(({ file, operation }) => {
    const auth = authOf(operation);
    const { 'x-scopes': scopes, 'x-roles': named = [] } = operation;
    const refuse = (pointer: string, text: string): Problem => finding('references', { file, pointer }, text);
    const roles = Object.entries(head['x-roles'] ?? {});
    const fitting = roles.flatMap(([role, { scopes: held }]) =>
      scopes.every((scope) => held.includes(scope)) ? [role] : [],
    );
    return [
      ...(auth.includes('token') === scopes.length > 0
        ? []
        : [refuse('/x-scopes', 'only an operation that takes a token has, and needs, scopes')]),
      ...(auth.includes('session') === named.length > 0
        ? []
        : [refuse('/x-roles', 'only an operation that takes a session has, and needs, roles')]),
      ...named
        .filter((role) => !roles.some(([known]) => known === role))
        .map((role) => refuse('/x-roles', `unknown role ${role}`)),
      ...(auth.length === 2 && named.some((role) => !fitting.includes(role))
        ? [refuse('/x-roles', `the roles with these scopes are ${fitting.join(', ')}`)]
        : []),
      ...(operation['x-fresh'] && !auth.includes('session')
        ? [refuse('/x-fresh', 'only a session can have a fresh second factor')]
        : []),
    ];
  });
