import { readCsv, readJsonl } from '../../../../runtime/item-stream.ts';
import type { Validator } from '../../../../runtime/lazy-validators.ts';
import { ANSWER_VALIDATORS as ACCOUNT_ANSWERS } from '../../../../generated/contract/account/answers.ts';
import { ANSWER_VALIDATORS as WALLET_ANSWERS } from '../../../../generated/contract/wallets/answers.ts';
import type { RestCase } from '../../../../runtime/rest-case.ts';
import { OPERATIONS as ACCOUNT_OPERATIONS } from '../../../../generated/account/operations.ts';
import { OPERATIONS as WALLET_OPERATIONS } from '../../../../generated/wallets/operations.ts';

/** An answer that was read to its end. */
export type Answer = { readonly status: number; readonly headers: Headers; readonly text: string };

/** The validators of all REST services, whose operation names are distinct. */
const VALIDATORS: Readonly<Record<string, Validator>> = { ...ACCOUNT_ANSWERS, ...WALLET_ANSWERS };
const OPERATIONS: Readonly<Record<string, { readonly secret: boolean }>> = {
  ...ACCOUNT_OPERATIONS,
  ...WALLET_OPERATIONS,
};

/** Columns of a CSV of wallets, in this order. */
const COLUMNS = 'address,custody,wallet_id,secret_key,mnemonic,derivation_path,created_at';

/** Returns the differences between an answer and the expectation of its case. */
export async function checkAnswer(
  { operation, expect }: RestCase,
  answer: Answer,
): Promise<readonly string[]> {
  if (expect.kind === 'not-refused') {
    const problem = problemOf(answer);
    const isRefused =
      (problem?.code === 'body_invalid' || problem?.code === 'query_invalid') &&
      pointersOf(problem).includes(expect.pointer);
    return isRefused ? [`the value at ${expect.pointer} was refused`] : [];
  }
  if (expect.kind === 'not-code')
    return problemOf(answer)?.code === expect.code ? [`was refused with ${expect.code}`] : [];
  const media = expect.kind === 'success' ? expect.media : 'application/problem+json';
  const type = answer.headers.get('content-type') ?? '';
  return [
    ...(answer.status === expect.status ? [] : [`status ${answer.status} instead of ${expect.status}`]),
    ...(type.split(';')[0] === media ? [] : [`content type ${type} instead of ${media}`]),
    ...expect.headers
      .filter((name) => !answer.headers.has(name))
      .map((name) => `the header ${name} is missing`),
    ...(expect.kind === 'problem'
      ? checkProblem(expect, answer)
      : await checkSuccess(operation, media, answer)),
  ];
}

function checkProblem(
  { status, code, pointer }: Extract<RestCase['expect'], { kind: 'problem' }>,
  answer: Answer,
): readonly string[] {
  const problem = problemOf(answer);
  // The text may contain secrets, so it is not shown.
  if (!problem) return [`expected a JSON object, got ${answer.text.length} characters`];
  const named = pointersOf(problem);
  return [
    ...faultsOf(`${camelCased(code)}Problem`, problem),
    ...(problem.code === code ? [] : [`code ${String(problem.code)} instead of ${code}`]),
    ...(problem.type === `urn:keyslot:error:${code}` ? [] : [`type ${String(problem.type)}`]),
    ...(problem.status === status ? [] : [`the problem has status ${String(problem.status)}`]),
    ...(pointer === undefined || named.includes(pointer)
      ? []
      : [`names ${named.join(', ') || 'no place'} instead of ${pointer}`]),
  ];
}

async function checkSuccess(
  operation: string,
  media: string,
  { headers, text }: Answer,
): Promise<readonly string[]> {
  const cached = OPERATIONS[operation]?.secret && headers.get('cache-control') !== 'no-store';
  const kept = cached ? ['an answer with secrets may be cached on the way'] : [];
  if (media === 'application/json') return [...kept, ...faultsOf(operation, parse(text))];
  const lines = await itemsOf(media, text);
  const announced = Number(headers.get('x-wallet-count'));
  return [
    ...kept,
    ...(media === 'text/csv' && !text.startsWith(`${COLUMNS}\r\n`) ? ['the CSV has another header'] : []),
    ...(lines.length === announced ? [] : [`${lines.length} wallets arrived, ${announced} were announced`]),
    ...lines.flatMap((line, index) =>
      faultsOf(`${operation}Line`, line).map((fault) => `line ${index + 1}: ${fault}`),
    ),
  ];
}

async function itemsOf(media: string, text: string): Promise<readonly unknown[]> {
  const items: unknown[] = [];
  for await (const item of media === 'text/csv' ? readCsv(whole(text)) : readJsonl(whole(text)))
    items.push(item);
  return items;
}

async function* whole(text: string): AsyncGenerator<string> {
  yield text;
}

function camelCased(code: string): string {
  return code.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());
}

function faultsOf(name: string, value: unknown): readonly string[] {
  const validate = VALIDATORS[name];
  if (!validate) return [`missing validator ${name}`];
  if (validate(value)) return [];
  return (validate.errors ?? []).map(({ instancePath, keyword, params }) =>
    [instancePath, keyword, JSON.stringify(params)].join(' '),
  );
}

function problemOf({ text }: Answer): Readonly<Record<string, unknown>> | undefined {
  const value = parse(text);
  return typeof value === 'object' && value !== null
    ? (value as Readonly<Record<string, unknown>>)
    : undefined;
}

function pointersOf({ errors }: Readonly<Record<string, unknown>>): readonly unknown[] {
  return Array.isArray(errors) ? errors.map((each: { readonly pointer?: unknown }) => each?.pointer) : [];
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
