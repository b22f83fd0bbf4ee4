// A table: one row per fault of the wallet documents that lint reports.
import { describe, expect, it } from 'vitest';
import { AREAS } from '../../codegen/areas.ts';
import { generate } from '../../codegen/generate.ts';
import { fixtureSources, problemsAfter } from './fixture.ts';

type Document = { [name: string]: Document };
type Row = readonly [
  promise: string,
  file: string,
  path: string,
  value: unknown,
  pointer: string,
  message: RegExp,
];

const set = (path: string, value: unknown) => (document: Document) => {
  const steps = path.split('/').map((step) => step.replaceAll('~1', '/'));
  const last = steps.pop() ?? '';
  const parent = steps.reduce<Document>((node, step) => node[step] as Document, document);
  if (value === undefined) delete parent[last];
  else parent[last] = value as Document;
  return document as never;
};

const HEAD = 'wallets/openapi.yaml';
const SCENARIO = 'wallets/scenario.yaml';
const MAKE = 'wallets/operations/makeThings.yaml';
const DESTROY = 'wallets/operations/destroyThing.yaml';
const REQUEST = 'wallets/schemas/MakeThingsRequest.yaml';
const MADE = 'wallets/schemas/Made.yaml';
const json = 'responses/201/content/application~1json';
const at = `/${json}`;

const rows: readonly Row[] = [
  ['a mistyped member', MAKE, 'x-scpoes', ['x'], '/x-scpoes', /unknown member \(did you mean x-scopes\?\)/],
  ['an operation without a summary', MAKE, 'summary', undefined, '', /summary is missing/],
  ['a path without a version', MAKE, 'path', '/things', '/path', /pattern/],
  ['an unknown keyword of a schema', REQUEST, 'x-colour', 'red', '/x-colour', /unknown member/],
  ['an open request', REQUEST, 'additionalProperties', true, '/additionalProperties', /must be false/],
  ['an answer without an example', MAKE, `${json}/examples`, {}, `${at}/examples`, /fewer than 1/],
  ['an operation in the wrong file', MAKE, 'operationId', 'makeOthers', '/operationId', /makeOthers\.yaml/],
  ['a title that is not the file name', MADE, 'title', 'Other', '/title', /must be Made/],
  [
    'a mistyped reference',
    REQUEST,
    'properties/kind/$ref',
    './ThingKin.yaml',
    '/properties/kind/$ref',
    /no wallets\/schemas\/ThingKin\.yaml \(did you mean wallets\/schemas\/ThingKind\.yaml\?\)/,
  ],
  [
    'a schema that nothing uses',
    DESTROY,
    'responses/200/content/application~1json/schema/$ref',
    '../schemas/Made.yaml',
    '',
    /no operation or event uses this schema/,
  ],
  [
    'a limit that stands nowhere',
    REQUEST,
    'properties/count/x-limit/maximum',
    'plans.yaml#/nowhere',
    '/properties/count/x-limit/maximum',
    /no number at plans\.yaml#\/nowhere/,
  ],
  [
    'an unknown scope',
    MAKE,
    'x-scopes/0',
    'things:creat',
    '/x-scopes/0',
    /unknown scope things:creat \(did you mean things:create\?\): allowed are things:create, things:destroy$/,
  ],
  ['an unknown price', MAKE, 'x-price/0', 'thing_creatio', '/x-price/0', /did you mean thing_creation/],
  ['an unknown rate limit', MAKE, 'x-rate', 'thing_batch', '/x-rate', /no rate limit thing_batch/],
  [
    'an unknown tag',
    MAKE,
    'tag',
    'thing',
    '/tag',
    /unknown tag thing \(did you mean things\?\): allowed are things$/,
  ],
  [
    'an unknown header',
    DESTROY,
    'parameters/0',
    'X-Code',
    '/parameters/0',
    /unknown header X-Code: allowed are Idempotency-Key, X-Two-/,
  ],
  [
    'an unknown error',
    DESTROY,
    'responses/404/errors/0',
    'thingNotFond',
    '/responses/404/errors/0',
    /no problem thingNotFond \(did you mean thingNotFound\?\)/,
  ],
  [
    'an error that only JSON-RPC answers',
    HEAD,
    'x-errors/every/0',
    'blockNotAvailable',
    '/x-errors/every/0',
    /no problem blockNotAvailable/,
  ],
  [
    'an error under another status',
    DESTROY,
    'responses/410',
    { errors: ['thingNotFound'] },
    '/responses/410/errors/0',
    /thingNotFound has status 404/,
  ],
  [
    'an error that every operation has',
    DESTROY,
    'responses/401',
    { errors: ['tokenMissing'] },
    '/responses/401/errors/0',
    /every operation of this kind already has/,
  ],
  [
    'two successes',
    DESTROY,
    'responses/204',
    { description: 'x', content: { a: { schema: {}, examples: { a: 1 } } } },
    '/responses',
    /one status of success/,
  ],
  ['an idempotency key of a DELETE', DESTROY, 'x-idempotent', true, '/x-idempotent', /only a POST/],
  [
    'a context that does not fill its error',
    MAKE,
    'x-examples/thingNotFound',
    { nam: 1 },
    '/x-examples/thingNotFound',
    /context of thingNotFound: name/,
  ],
  [
    'a context of an error that is not answered',
    MAKE,
    'x-examples/thingNotFond',
    {},
    '/x-examples/thingNotFond',
    /does not answer thingNotFond \(did you mean/,
  ],
  [
    'an error that nothing provokes',
    SCENARIO,
    'provoke/tokenMissing',
    undefined,
    '/x-provoke',
    /how tokenMissing is provoked/,
  ],
  [
    'a value that the scenario lacks',
    MAKE,
    'x-provoke/thingNotFound/0/headers/Idempotency-Key',
    '$fresh_kee',
    '/x-provoke/thingNotFound/0',
    /no value fresh_kee \(did you mean fresh_key\?\)/,
  ],
  [
    'a condition that the scenario lacks',
    SCENARIO,
    'provoke/tooManyThings/0/condition',
    'bussy',
    '/provoke/tooManyThings/0',
    /no condition bussy \(did you mean busy\?\)/,
  ],
  ['a value that nothing uses', SCENARIO, 'values/spare', 'Not used.', '/values/spare', /nothing uses it/],
  [
    'a way to an error that is not answered',
    SCENARIO,
    'provoke/internalEror',
    [{}],
    '/provoke/internalEror/0',
    /no operation answers internalEror/,
  ],
  [
    'a request that does not fit',
    MAKE,
    'requestBody/examples/json/value/count',
    4,
    '/requestBody/examples/json/value/count',
    /must be <= 3/,
  ],
  [
    'a request with an unknown member',
    MAKE,
    'requestBody/examples/json/value/cont',
    1,
    '/requestBody/examples/json/value/cont',
    /unknown member \(did you mean count\?\)/,
  ],
  [
    'a request whose members exclude each other',
    MAKE,
    'requestBody/examples/jsonl/value/secret_word',
    'x',
    '/requestBody/examples/jsonl/value',
    /must NOT be valid/,
  ],
  [
    'an answer that does not fit',
    MAKE,
    `${json}/examples/json/id`,
    '',
    `${at}/examples/json/id`,
    /does not fit/,
  ],
  [
    'a line that does not fit',
    MAKE,
    'responses/201/content/application~1jsonl/examples/jsonl',
    '{"id":1}\n',
    '/responses/201/content/application~1jsonl/examples/jsonl',
    /line 1\/id: does not fit/,
  ],
  [
    'a stream whose last line has no end',
    MAKE,
    'responses/201/content/application~1jsonl/examples/jsonl',
    '{}',
    '/responses/201/content/application~1jsonl/examples/jsonl',
    /last line is not terminated/,
  ],
  [
    'a request without an answer',
    MAKE,
    'requestBody/examples/other',
    { summary: 'x', value: { count: 1 } },
    '/requestBody/examples/other',
    /one example of an answer/,
  ],
  [
    'a secret that is not marked',
    MADE,
    'properties/mnemonic',
    { type: 'string' },
    '/properties/mnemonic',
    /mnemonic is a secret/,
  ],
  [
    'a secret that is marked elsewhere only',
    MADE,
    'properties/secret_word',
    { type: 'string' },
    '/properties/secret_word',
    /secret_word is a secret/,
  ],
  [
    'secrets that may be kept on the way',
    MAKE,
    'responses/201/headers',
    [],
    '/responses/201/headers',
    /needs the header Cache-Control/,
  ],
  [
    'a limit in a text',
    REQUEST,
    'properties/range',
    { description: 'Up to 99.', type: 'integer', maximum: 99 },
    '/properties/range/description',
    /repeats the limit 99/,
  ],
  [
    'a conflict of a member that is not there',
    REQUEST,
    'x-conflicts/0/member',
    'secret',
    '/x-conflicts',
    /no member is called secret/,
  ],
  [
    'an error without a form',
    'errors.yaml',
    'tokenMissing/problem',
    undefined,
    '/tokenMissing',
    /needs jsonrpc, problem, grpc or close/,
  ],
  [
    'an example that lacks what its detail says',
    'errors.yaml',
    'thingNotFound/problem/example',
    {},
    '/thingNotFound/problem/example',
    /lacks name as string/,
  ],
  [
    'a placeholder that is not in the context',
    'errors.yaml',
    'thingNotFound/problem/detail',
    '{nam}',
    '/thingNotFound/problem/detail',
    /\{nam\} is not in the context \(did you mean name\?\)/,
  ],
];

describe('lint of the wallet documents reports', () => {
  it.each(rows)('%s', (_, file, path, value, pointer, message) => {
    const problems = problemsAfter(file, set(path, value) as never);
    const texts = problems.map((problem) => `${problem.pointer}: ${problem.message}`);
    expect(texts.filter((text) => text.startsWith(`${pointer}: `)).join('\n')).toMatch(message);
  });

  it.each([HEAD, SCENARIO])('a missing %s', (file) => {
    const sources = new Map(fixtureSources());
    sources.delete(file);
    const outcome = generate(sources, AREAS);
    expect('problems' in outcome && outcome.problems).toContainEqual(
      expect.objectContaining({ file, message: 'the file is missing' }),
    );
  });
});
