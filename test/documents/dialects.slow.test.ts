import { Ajv, type Options } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  type Contents,
  type OpenapiDocument,
  readServedDocuments,
  type ServedDocuments,
} from './served-documents.ts';

/** No keyword that the dialect has not. What follows in a tuple may be left out, and an id has one of several types. */
const STRICT: Options = {
  strictSchema: true,
  strictTuples: false,
  allowUnionTypes: true,
  allErrors: true,
  validateFormats: false,
};

type Shown = { readonly where: string; readonly schema: object; readonly values: readonly unknown[] };
type Sent = { readonly name: string; readonly schema: object };
type OpenrpcDocument = {
  readonly methods: readonly (Sent & {
    readonly params: readonly Sent[];
    readonly result: Sent;
    readonly examples: readonly {
      readonly params: readonly { readonly value: unknown }[];
      readonly result: { readonly value: unknown };
    }[];
    readonly 'x-subscription'?: {
      readonly notification: Sent;
      readonly examples: readonly { readonly notifications: readonly unknown[] }[];
    };
  })[];
  readonly components: {
    readonly schemas: Readonly<Record<string, { readonly examples?: readonly unknown[] }>>;
  };
};

let served: ServedDocuments;
beforeAll(async () => {
  served = await readServedDocuments();
});

/** The values that do not fit, or are no schema of the dialect. The document's own keywords begin with x-. */
function faultsIn(
  ajv: Ajv | Ajv2020,
  document: OpenrpcDocument | OpenapiDocument,
  shown: readonly Shown[],
): readonly string[] {
  const names = [...JSON.stringify(document).matchAll(/"(x-[\w-]+)":/g)].map(([, name]) => String(name));
  ajv.addVocabulary([...new Set(names)]);
  for (const [title, schema] of Object.entries(document.components.schemas))
    ajv.addSchema(placed(schema), `${PLACE}${title}`);
  return shown.flatMap(({ where, schema, values }) => {
    if (ajv.validateSchema(placed(schema)) !== true) return [`${where}: ${ajv.errorsText()}`];
    const fits = ajv.compile(placed(schema));
    return values.flatMap((value, index) =>
      fits(value) ? [] : [`${where}, example ${index}: ${ajv.errorsText(fits.errors).slice(0, 300)}`],
    );
  });
}

const PLACE = 'document:/';

/** References lead to schemas that Ajv knows one by one: the document around them is none. */
function placed(schema: object): object {
  return JSON.parse(
    JSON.stringify(schema).replaceAll('"$ref":"#/components/schemas/', `"$ref":"${PLACE}`),
  ) as object;
}

function componentsOf({ components }: OpenrpcDocument | OpenapiDocument): readonly Shown[] {
  return Object.entries(components.schemas).map(([where, schema]) => ({
    where,
    schema,
    values: schema.examples ?? [],
  }));
}

describe('the OpenRPC document', () => {
  test('has schemas of draft-07 and no other keyword, and every example fits them', () => {
    const document = JSON.parse(served.openrpc) as OpenrpcDocument;
    const shown = document.methods.flatMap(({ name, params, result, examples, 'x-subscription': told }) => [
      ...params.map(({ name: param, schema }, index) => ({
        where: `${name} ${param}`,
        schema,
        values: examples
          .filter((each) => index < each.params.length)
          .map((each) => each.params[index]?.value),
      })),
      { where: `${name} result`, schema: result.schema, values: examples.map((each) => each.result.value) },
      ...(told === undefined
        ? []
        : [
            {
              where: `${name} notification`,
              schema: told.notification.schema,
              values: told.examples.flatMap(({ notifications }) => notifications),
            },
          ]),
    ]);
    expect(shown.flatMap(({ values }) => values).length).toBeGreaterThan(600);
    const ajv = new Ajv({ ...STRICT, strictTuples: true, unicodeRegExp: false });
    expect(faultsIn(ajv, document, [...componentsOf(document), ...shown])).toEqual([]);
  });

  test('takes what is served: null for what is optional, and words that nodes ignore; no other', () => {
    const { methods } = JSON.parse(served.openrpc) as OpenrpcDocument;
    const ajv = new Ajv({ ...STRICT, strictSchema: false, allErrors: false });
    ajv.addSchema(JSON.parse(served.openrpc), 'document');
    const at = (name: string, index: number) =>
      ajv.compile({
        $ref: `document#/methods/${methods.findIndex((method) => method.name === name)}/params/${index}/schema`,
      });
    const [config, history] = [at('getBalance', 1), at('getSignaturesForAddress', 1)];
    const lists = at('getBlocks', 2);
    for (const value of [null, {}, { commitment: null }, { commitment: 'recent', minContextSlot: 1 }])
      expect([value, config(value)]).toEqual([value, true]);
    for (const value of [7, { minContextSlot: 'x' }]) expect([value, config(value)]).toEqual([value, false]);
    expect([history({ commitment: 'recent' }), history({ commitment: 'processed' })]).toEqual([true, false]);
    expect([lists({ commitment: 'confirmed' }), lists({ commitment: 'recent' })]).toEqual([true, false]);
    expect([at('getBalance', 0)(null), at('getBlocks', 1)(null)]).toEqual([false, true]);
  });
});

describe('the OpenAPI document of the wallets', () => {
  test('has schemas of 2020-12 and no other keyword, and every example fits them', () => {
    const document = JSON.parse(served.wallets) as OpenapiDocument;
    const contents = (at: string, content: Contents = {}): readonly Shown[] =>
      Object.entries(content).map(([media, { schema, examples = {} }]) => ({
        where: `${at} ${media}`,
        schema,
        values: Object.values(examples).map(({ value }) => value),
      }));
    const shown = Object.entries(document.paths).flatMap(([path, operations]) =>
      Object.entries(operations).flatMap(([method, { requestBody, responses, parameters = [] }]) => [
        ...contents(`${method} ${path}`, requestBody?.content),
        ...Object.entries(responses).flatMap(([status, { content }]) =>
          contents(`${method} ${path} ${status}`, content),
        ),
        ...parameters.map(({ schema, example }) => ({
          where: `${path} parameter`,
          schema,
          values: [example],
        })),
      ]),
    );
    expect(shown.flatMap(({ values }) => values).length).toBeGreaterThan(100);
    const ajv = new Ajv2020({ ...STRICT, unicodeRegExp: false });
    expect(faultsIn(ajv, document, [...componentsOf(document), ...shown])).toEqual([]);
  });
});

test('patterns are of the part of regular expressions that every language reads, with Unicode or without', () => {
  const patterns = Object.values(served).flatMap((text) =>
    [...text.matchAll(/"pattern":\s*("(?:[^"\\]|\\.)*")/g)].map(([, pattern]) =>
      String(JSON.parse(pattern ?? '')),
    ),
  );
  expect(patterns.length).toBeGreaterThan(5);
  for (const pattern of patterns) {
    expect(pattern).not.toMatch(/\\[pPukcQEAzZ]|\(\?(?!:)/);
    expect([pattern, isRead(pattern, ''), isRead(pattern, 'u')]).toEqual([pattern, true, true]);
  }
});

function isRead(pattern: string, flags: string): boolean {
  try {
    return new RegExp(pattern, flags).flags === flags;
  } catch {
    return false;
  }
}

test.each(['', 'u'])('a label has any character but control characters, with the flags "%s"', (flags) => {
  const { components } = JSON.parse(served.wallets) as {
    readonly components: { readonly schemas: { readonly Label: { readonly pattern: string } } };
  };
  const label = new RegExp(components.schemas.Label.pattern, flags);
  expect(['deposit 4711', 'Zürich', '東京', '🦀'].map((text) => label.test(text))).toEqual(
    Array(4).fill(true),
  );
  expect(['a\u0000', 'a\nb', '\u007f', '\u0085'].map((text) => label.test(text))).toEqual(
    Array(4).fill(false),
  );
});
