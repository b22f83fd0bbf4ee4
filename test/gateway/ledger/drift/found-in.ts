import { createAnswerCheck } from '../../../../src/gateway/ledger/drift/answer-check.ts';
import { DOCUMENT, SHOWN } from './spec-examples.ts';

/** Holds answers against the specification. */
export const check = createAnswerCheck(DOCUMENT);

/** The findings in a result, as texts. */
export function found(method: string, result: unknown): readonly string[] {
  return check.reply(method, { jsonrpc: '2.0', id: 1, result }).map(({ kind, name }) => `${kind}: ${name}`);
}

/** The findings in an error, as texts. */
export function foundInError(method: string, error: unknown): readonly string[] {
  return check.reply(method, { jsonrpc: '2.0', id: 1, error }).map(({ kind, name }) => `${kind}: ${name}`);
}

export type Part = { [name: string]: Part };

/** A copy of the first example of a method that has a member at the path, after a change. */
export function changed(method: string, path: string, change: (part: Part) => void): unknown {
  for (const { name, value } of SHOWN) {
    const copy = structuredClone(value) as Part;
    const part = path
      .split('/')
      .reduce<Part | undefined>((at, step) => (step === '' ? at : at?.[step]), copy);
    if (name !== method || part === undefined || part === null) continue;
    change(part);
    return copy;
  }
  throw new Error(`no example of ${method} has ${path}`);
}

/** Gives a part a member. */
export const set = (name: string, value: unknown) => (part: Part) =>
  void Object.assign(part, { [name]: value });
