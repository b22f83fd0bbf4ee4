import { expect, it } from 'vitest';
import { AREAS } from '../../codegen/areas.ts';
import { generate } from '../../codegen/generate.ts';
import { fixtureSources, generateFiles, problemsAfter } from './fixture.ts';

const TOPIC = 'stream/topics/thing-events.proto';
const SERVICE = 'stream/keyslot/stream/v1/stream.proto';

/** The problems after texts in the topic's file were replaced. */
const afterReplacing = (from: string | RegExp, to: string) =>
  problemsAfter(TOPIC, (document) => {
    const text = document as unknown as string;
    const changed = text.replace(from, to);
    if (changed === text) throw new Error(`${from} is not in the file`);
    return changed;
  });

const rows: readonly (readonly [fault: string, from: string | RegExp, to: string, message: RegExp])[] = [
  ['a syntax error', 'uint64 slot = 1;', 'uint64 slot = ;', /line 11, column \d+: unexpected/],
  ['another package', 'package keyslot.stream.v1', 'package other.v1', /package must be keyslot\.stream\.v1/],
  ['an import', 'package', 'import "keyslot/stream/v1/stream.proto";\npackage', /imports nothing/],
  ['a second message', /$/, '\n// Another.\nmessage Another {}\n', /one message/],
  ['an enum next to the message', /$/, '\nenum Kind { NONE = 0; }\n', /one message/],
  ['no description', /\/\/ What happens to things\.\n.*\n/, '', /the message has no comment/],
  [
    'an unknown scope',
    'Scope: things:destroy',
    'Scope: things:destory',
    /unknown scope things:destory \(did you mean things:destroy\?\): allowed are things:create, things:destroy$/,
  ],
  ['no slot', 'uint64 slot = 1', 'uint64 place = 1', /first field must be uint64 slot = 1/],
  ['a slot of another type', 'uint64 slot = 1', 'string slot = 1', /first field must be uint64 slot = 1/],
  ['a field without a comment', '  // Bytes of it.\n', '', /no comment/],
  ['a field without an example', '  // Example: "AQI="\n', '', /JSON of bytes/],
  ['an example that is no JSON', '"lamp"', 'lamp', /JSON of string/],
  ['an example of another type', '"lamp"', '1', /JSON of string/],
  ['a number for 64 bits', 'Example: "1"', 'Example: 1', /JSON of uint64/],
  ['one value for a list', '[1, 2]', '1', /JSON of a list of uint32/],
  ['a fault inside a nested message', 'Example: true', 'Example: "true"', /JSON of bool/],
];

it.each(rows)('reports %s', (_, from, to, message) => {
  const problems = afterReplacing(from, to);
  expect(problems.length).toBeGreaterThan(0);
  for (const problem of problems) expect(problem).toMatchObject({ file: TOPIC, rule: 'stream' });
  expect(problems.map((problem) => problem.message).join('\n')).toMatch(message);
});

it('reports a missing service', () => {
  const sources = new Map(fixtureSources());
  sources.delete(SERVICE);
  expect(generate(sources, AREAS)).toMatchObject({
    problems: [{ file: SERVICE, message: 'the file is missing' }],
  });
});

it('reports an error that only has a gRPC form and no message', () => {
  const problems = problemsAfter('errors.yaml', (document) => ({
    ...document,
    bare: { area: 'a', summary: 'S.', http: 400, grpc: { status: 'NOT_FOUND' } },
  }));
  expect(problems[0]).toMatchObject({ pointer: '/bare/grpc', message: expect.stringContaining('message') });
});

it('makes no text of tools or versions', () => {
  const files = generateFiles(fixtureSources());
  for (const [path, text] of Object.entries(files)) {
    if (path.startsWith('stream/')) expect([path, /protoc|v2\.\d+|eslint/.test(text)]).toEqual([path, false]);
  }
});
