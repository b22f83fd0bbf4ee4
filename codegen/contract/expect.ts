import type { ErrorModel } from '../model/errors.ts';
import type { LedgerModel } from '../model/ledger.ts';
import type { Expectation } from '../../runtime/contract-case.ts';

type Context = Readonly<Record<string, string | number | bigint | undefined>>;

/** The error with its exact message and data, filled from the context. */
export const exactError = (name: string, context: Context, model: LedgerModel): Expectation => {
  const error = find(name, model);
  const data = Object.fromEntries(
    error.data.flatMap((member) => (context[member] === undefined ? [] : [[member, context[member]]])),
  );
  return {
    kind: 'error',
    error: name,
    code: error.jsonrpc.code,
    message: fill(error, context),
    ...(error.data.length > 0 && { data }),
  };
};

/** The error by its code, and by its message if that has no placeholders. */
export const errorByCode = (name: string, model: LedgerModel): Expectation => {
  const { jsonrpc } = find(name, model);
  return {
    kind: 'error',
    error: name,
    code: jsonrpc.code,
    ...(!/\{\w+\}/.test(jsonrpc.message) && { message: jsonrpc.message }),
  };
};

/** Anything but the error of a limit. */
export const notRefused = (name: string, context: Context, model: LedgerModel): Expectation => {
  const error = find(name, model);
  return { kind: 'not-refused', error: name, code: error.jsonrpc.code, message: fill(error, context) };
};

const find = (name: string, { errors }: LedgerModel): ErrorModel => {
  const error = errors.get(name);
  if (!error) throw new Error(`no error ${name}`);
  return error;
};

const fill = ({ jsonrpc }: ErrorModel, context: Context): string =>
  jsonrpc.message.replace(/\{(\w+)\}/g, (_, name: string) => String(context[name]));
