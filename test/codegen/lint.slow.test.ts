// A table: one row per fault that lint reports.
import { describe, expect, it } from 'vitest';
import { fixtureSources, generateFiles, problemsAfter } from './fixture.ts';

type Document = { [name: string]: Document };
type Row = readonly [
  promise: string,
  file: string,
  edit: (document: Document) => unknown,
  pointer: string,
  message: RegExp,
];

const set = (path: string, value: unknown) => (document: Document) => {
  const steps = path.split('/');
  const last = steps.pop() ?? '';
  const parent = steps.reduce<Document>((node, step) => node[step] as Document, document);
  if (value === undefined) delete parent[last];
  else parent[last] = value as Document;
};

const THING = 'ledger/methods/getThing.yaml';
const THINGS = 'ledger/methods/getThings.yaml';
const SCHEMA = 'ledger/schemas/Thing.yaml';
const CONFIG = 'ledger/schemas/ThingConfig.yaml';
const SUBSCRIPTION = 'ledger/subscriptions/thingSubscribe.yaml';
const COMMON = 'ledger/subscriptions.yaml';

const rows: readonly Row[] = [
  [
    'a subscription in the wrong file',
    SUBSCRIPTION,
    set('name', 'otherSubscribe'),
    '/name',
    /otherSubscribe\.yaml/,
  ],
  ['a subscription whose name says otherwise', SUBSCRIPTION, set('name', 'getThing'), '/name', /pattern/],
  [
    'a notification that another subscription has',
    'ledger/subscriptions/tickSubscribe.yaml',
    set('notification/name', 'thingNotification'),
    '/notification/name',
    /taken by ledger\/subscriptions\/thingSubscribe\.yaml#\/notification\/name/,
  ],
  [
    'an unsubscribe call that another subscription has',
    'ledger/subscriptions/tickSubscribe.yaml',
    set('unsubscribe', 'thingUnsubscribe'),
    '/unsubscribe',
    /taken by ledger\/subscriptions\/thingSubscribe\.yaml#\/unsubscribe/,
  ],
  [
    'an invalid version of nodes',
    THINGS,
    set('params/3/schema/properties/fresh/x-since', 4.4),
    '/params/3/schema/properties/fresh/x-since',
    /./,
  ],
  [
    'a fallback for nothing',
    THINGS,
    set('params/3/schema/properties/cached/x-fallback', 'context'),
    '/params/3/schema/properties/cached/x-fallback',
    /requires x-since/,
  ],
  [
    'a fallback on a context that is not there',
    THINGS,
    set('params/3/schema/properties/fresh/x-fallback', 'context'),
    '',
    /options\.fresh: the fallback context needs a result with a context/,
  ],
  [
    'a slice of what is not pushed',
    THINGS,
    set('params/3/schema/properties/fresh/x-fallback', 'slice'),
    '',
    /options\.fresh: the fallback slice needs a subscription/,
  ],
  [
    'a limit left to nodes that is not there',
    CONFIG,
    set('properties/names/x-since', { minItems: '4.4' }),
    '/properties/names/x-since/minItems',
    /the schema has no minItems/,
  ],
  ['an unknown way to refill', SUBSCRIPTION, set('x-refill', 'all'), '/x-refill', /one of/],
  [
    'a notification that does not fit its schema',
    SUBSCRIPTION,
    set('examples/0/notifications/0/value/size', 'big'),
    '/examples/0/notifications/0/value/size',
    /does not fit/,
  ],
  [
    'a subscription example that notifies of nothing',
    SUBSCRIPTION,
    set('examples/0/notifications', undefined),
    '/examples/0',
    /either notifications or an error/,
  ],
  [
    'a reply that is no id',
    SUBSCRIPTION,
    set('examples/0/result', 'seven'),
    '/examples/0/result',
    /does not fit/,
  ],
  [
    'an error of a subscription that there is not',
    SUBSCRIPTION,
    set('errors/0', 'blockNotAvailabel'),
    '/errors/0',
    /did you mean blockNotAvailable/,
  ],
  [
    'a limit of a subscription without an error',
    SUBSCRIPTION,
    set('params/0/schema/anyOf/1/properties/mentions', { type: 'string', maxLength: 5 }),
    '/params/0/schema/anyOf/1/properties/mentions',
    /names no error for maxLength/,
  ],
  ['x-tagged without a union', CONFIG, set('x-tagged', true), '/x-tagged', /requires anyOf/],
  ['versions of what is no number', CONFIG, set('x-versions', [0]), '/x-versions', /requires type: integer/],
  [
    'a notification that is open',
    COMMON,
    set('gap/schema', { title: 'Other', type: 'object', required: [], properties: {} }),
    '/gap/schema',
    /additionalProperties/,
  ],
  [
    'an invalid example of a gap',
    COMMON,
    set('gap/examples/0/from', 'five'),
    '/gap/examples/0/from',
    /does not fit/,
  ],
  [
    'an example of the unsubscribe call that is refused',
    COMMON,
    set('unsubscribe/examples/0/params', ['7']),
    '/unsubscribe/examples/0/params',
    /refused with invalidType/,
  ],
  ['no word on gaps', COMMON, set('gap', undefined), '', /member gap is missing/],
  ['an unknown x- keyword of a method', THING, set('x-colour', 'red'), '/x-colour', /unknown member/],
  ['an unknown x- keyword of a schema', SCHEMA, set('x-colour', 'red'), '/x-colour', /unknown member/],
  [
    'a mistyped member, with what it may have been',
    THING,
    set('x-cots', 1),
    '/x-cots',
    /unknown member \(did you mean x-cost\?\)/,
  ],
  ['a missing result, once', THING, set('result', undefined), '', /^member result is missing$/],
  [
    'a type that is a list',
    SCHEMA,
    set('properties/size/type', ['integer', 'null']),
    '/properties/size/type',
    /one of/,
  ],
  [
    'a tag without a title',
    'ledger/reference.yaml',
    (document) => void (document.groups as unknown as unknown[]).pop(),
    '/groups',
    /contain/,
  ],
  [
    'a title for a tag that there is not',
    'ledger/reference.yaml',
    set('groups/0/tag', 'fee'),
    '/groups/0/tag',
    /one of/,
  ],
  ['a missing member', THING, set('summary', undefined), '', /summary is missing/],
  ['a method of no group', THING, set('x-group', undefined), '', /member x-group is missing/],
  ['a group that does not exist', THING, set('x-group', 'write'), '/x-group', /read.*send/],
  ['a method in the wrong file', THING, set('name', 'getOther'), '/name', /getOther\.yaml/],
  ['a title that is not the file name', SCHEMA, set('title', 'Other'), '/title', /must be Thing/],
  [
    'a title given twice',
    'ledger/schemas/ThingConfig.yaml',
    set('properties/encoding', { title: 'PlainData', type: 'string' }),
    '/properties/encoding',
    /already names another schema/,
  ],
  [
    'a reference to nothing',
    THING,
    set('params/0/schema/$ref', '../schemas/Nothing.yaml'),
    '/params/0/schema/$ref',
    /no ledger\/schemas\/Nothing/,
  ],
  [
    'a mistyped reference, with what it may have been',
    THING,
    set('params/0/schema/$ref', '../schemas/Adress.yaml'),
    '/params/0/schema/$ref',
    /did you mean ledger\/schemas\/Address\.yaml/,
  ],
  [
    'a value that the scenario does not have',
    THING,
    set('examples/0/x-live/params/0', '$acount'),
    '/examples/0/x-live/params/0',
    /scenario\.yaml has no acount \(did you mean account\?\)/,
  ],
  [
    'a result that a run must have and the example has not',
    THING,
    set('examples/0/x-live/result/value/size', 4),
    '/examples/0/x-live/result',
    /the result\/value\/size is 3, not 4/,
  ],
  [
    'an entry of a list that a run must have and the example has not',
    THING,
    set('examples/0/x-live/result/value/data/slots', [2, 9]),
    '/examples/0/x-live/result',
    /slots has no 9/,
  ],
  [
    'a notification that a run must have and the example has not',
    SUBSCRIPTION,
    set('examples/1/x-live/notification/value/data/kind', 'pair'),
    '/examples/1/x-live/notification',
    /data\/kind is "plain", not "pair"/,
  ],
  [
    'an error that is not filled in a run',
    THING,
    set('examples/2/x-live/context', {}),
    '/examples/2/x-live/context',
    /thingSpoilt wants reason/,
  ],
  [
    'an error that is filled with what it does not ask for',
    THING,
    set('examples/2/x-live/context/size', 3),
    '/examples/2/x-live/context',
    /has no size in its context: allowed are reason/,
  ],
  [
    'a result that is filled as an error',
    THING,
    set('examples/0/x-live/context', { reason: 'rust' }),
    '/examples/0/x-live/context',
    /context without an error/,
  ],
  [
    'a scenario value that no example uses',
    'ledger/scenario.yaml',
    set('nobody', 'Not used.'),
    '/nobody',
    /no example uses it/,
  ],
  [
    'an example without an outcome',
    THING,
    set('examples/1/error', undefined),
    '/examples/1',
    /a result or an error/,
  ],
  [
    'an example with two outcomes',
    THING,
    set('examples/0/error', 'blockNotAvailable'),
    '/examples/0',
    /a result or an error/,
  ],
  [
    'an example of a ledger error that does not say what fills it',
    THING,
    set('examples/1', {
      name: 'x',
      params: ['11111111111111111111111111111111'],
      error: 'blockNotAvailable',
    }),
    '/examples/1/context',
    /blockNotAvailable wants slot as integer/,
  ],
  [
    'an example of an error with data that does not say them',
    THING,
    set('examples/2/context/data', undefined),
    '/examples/2/context',
    /thingSpoilt wants data that is a Thing/,
  ],
  [
    'an example of an error with other data than its schema has',
    THING,
    set('examples/2/context/data/size', 256),
    '/examples/2/context',
    /thingSpoilt wants data that is a Thing/,
  ],
  [
    'an example of refused params that says what fills the error',
    THING,
    set('examples/1/context', { parameter: 'commitment' }),
    '/examples/1/context',
    /parameter is not allowed here/,
  ],
  ['an unknown error', THING, set('errors/0', 'noSuchError'), '/errors/0', /errors\.yaml has no noSuchError/],
  [
    'an unknown error of a limit',
    THINGS,
    set('params/0/schema/x-errors/maxItems', 'noSuchError'),
    '/params/0/schema/x-errors/maxItems',
    /noSuchError/,
  ],
  ['a span of unknown params', THINGS, set('x-span/to', 'end'), '/x-span/to', /no param is called end/],
  [
    'an integer without a kind',
    SCHEMA,
    set('properties/size/x-int', undefined),
    '/properties/size',
    /needs x-int/,
  ],
  [
    'a bound that the kind implies',
    SCHEMA,
    set('properties/size/maximum', 255),
    '/properties/size/maximum',
    /u8 already implies it/,
  ],
  [
    'an object without members',
    SCHEMA,
    set('properties/data', { type: 'object' }),
    '/properties/data',
    /needs properties/,
  ],
  [
    'a result object that is open',
    SCHEMA,
    set('additionalProperties', undefined),
    '',
    /additionalProperties: false/,
  ],
  ['a result object that requires nothing', SCHEMA, set('required', undefined), '', /what is required/],
  [
    'a required member that does not exist',
    SCHEMA,
    set('required/0', 'nothing'),
    '/required',
    /nothing is not among/,
  ],
  [
    'a params object that is closed',
    CONFIG,
    set('additionalProperties', false),
    '',
    /states no additionalProperties/,
  ],
  [
    'a limit without an error',
    THINGS,
    set('params/0/schema/x-errors', undefined),
    '/params/0/schema',
    /no error for maxItems/,
  ],
  [
    'a union of params without a name',
    THING,
    (document) => {
      set('params/1/schema/title', undefined)(document);
      set('params/1/schema/x-expected', undefined)(document);
    },
    '/params/1/schema',
    /needs x-expected or a title/,
  ],
  [
    'a required param after an optional one',
    THINGS,
    set('params/1/required', false),
    '/params/2',
    /before it is optional/,
  ],
  [
    'a limit said again in the text',
    THINGS,
    (document) => {
      set('params/0/schema/maxItems', 300)(document);
      set('params/0/description', 'Up to 300 of them.')(document);
    },
    '/params/0/description',
    /repeats the limit 300/,
  ],
  [
    'the limit of a span said again in the text of the method',
    THINGS,
    (document) => {
      set('x-span/maximum', 5000)(document);
      set('description', 'Up to 5,000 slots.')(document);
    },
    '/description',
    /repeats the limit 5000/,
  ],
  [
    'a limit of a member said again in the text of the whole',
    SCHEMA,
    (document) => {
      set('properties/size/maximum', 50)(document);
      set('description', 'At most 50 of them.')(document);
    },
    '/description',
    /repeats the limit 50/,
  ],
  [
    'a default said again in the text',
    'ledger/schemas/Encoding.yaml',
    (document) => {
      set('default', 'plain')(document);
      set('description', 'How it is written: plain (default) or pair.')(document);
    },
    '/description',
    /repeats the default/,
  ],
  [
    'a limit stated twice in a file',
    THINGS,
    (document) => {
      set('params/0/schema/maxItems', 300)(document);
      set('result/schema/maxItems', 300)(document);
    },
    '/result/schema',
    /300 is stated at \/params\/0\/schema already/,
  ],
  ['a method without examples', THING, set('examples', undefined), '/examples', /no example/],
  [
    'an example with refused params',
    THING,
    set('examples/0/params/0', 'short'),
    '/examples/0/params',
    /wrongSizeBase58|invalidBase58/,
  ],
  [
    'an example with a wrong result',
    THING,
    set('examples/0/result/value/size', 256),
    '/examples/0/result/value/size',
    /does not fit: must be an integer \(u8\)/,
  ],
  [
    'an example of an error that does not happen',
    THING,
    set('examples/1/error', 'tooManyInputs'),
    '/examples/1/params',
    /commitmentNotSupported/,
  ],
  [
    'a bundle that is no OpenRPC document',
    'ledger/openrpc.yaml',
    set('info/version', undefined),
    '',
    /version/,
  ],
  [
    'a placeholder without context',
    'errors.yaml',
    set('tooManyInputs/jsonrpc/message', 'max {most}'),
    '/tooManyInputs/jsonrpc/message',
    /\{most\}/,
  ],
  [
    'data without context',
    'errors.yaml',
    set('tooManyInputs/data/0', 'most'),
    '/tooManyInputs/data',
    /most is not in the context/,
  ],
  [
    'context that nothing uses',
    'errors.yaml',
    set('tooManyInputs/context/most', 'integer'),
    '/tooManyInputs/context/most',
    /neither the message nor the data/,
  ],
  [
    'a code with two HTTP statuses',
    'errors.yaml',
    set('tooManyInputs/http', 400),
    '/tooManyInputs/http',
    /-32602 has HTTP status 200/,
  ],
  [
    'a data schema that is not there',
    'errors.yaml',
    set('blockNotAvailable/dataSchema', { $ref: './ledger/schemas/Nothing.yaml' }),
    '/blockNotAvailable/dataSchema/$ref',
    /no ledger\/schemas\/Nothing\.yaml/,
  ],
  [
    'a default outside its bounds',
    'config.yaml',
    set('properties/http/properties/limit_ms/default', 5),
    '/properties/http/properties/limit_ms/default',
    /default does not fit/,
  ],
  [
    'a setting that is an integer without a kind',
    'config.yaml',
    set('properties/http/properties/port/x-int', undefined),
    '/properties/http/properties/port',
    /needs x-int/,
  ],
  [
    'a limit of a setting said again in its text',
    'config.yaml',
    set('properties/http/properties/limit_ms/description', 'From 10 to 1,000.'),
    '/properties/http/properties/limit_ms/description',
    /repeats the limit 1000/,
  ],
  [
    'a header that is not in lower case',
    'credentials.yaml',
    set('headers/0', 'Authorization'),
    '/headers/0',
    /must match pattern/,
  ],
  [
    'an environment variable used twice',
    'config.yaml',
    set('properties/http/properties/port/x-env', 'FIXTURE_DATA_DIR'),
    '/properties/http/properties/port',
    /names another setting/,
  ],
];

describe('lint', () => {
  it('accepts the fixture', () => {
    expect(Object.keys(generateFiles(fixtureSources())).length).toBeGreaterThan(0);
  });

  it.each(rows)('reports %s', (_, file, edit, pointer, message) => {
    const problems = problemsAfter(file, (document) => {
      edit(document);
      return undefined;
    });
    expect(problems).toContainEqual(
      expect.objectContaining({ file, pointer, message: expect.stringMatching(message) }),
    );
  });

  it('reports a schema that nothing uses', () => {
    const problems = problemsAfter('ledger/schemas/Unused.yaml', () => ({ title: 'Unused', type: 'string' }));
    expect(problems).toEqual([
      expect.objectContaining({ file: 'ledger/schemas/Unused.yaml', message: 'nothing uses this schema' }),
    ]);
  });

  it('reports params that refer to themselves', () => {
    const problems = problemsAfter(CONFIG, (document) => {
      set('properties/encoding', { $ref: './ThingConfig.yaml' })(document);
      return undefined;
    });
    expect(problems).toContainEqual(
      expect.objectContaining({ file: THING, message: 'params refer to themselves' }),
    );
  });
});
