import type { Case } from '../../../runtime/contract-case.ts';
import type { CONTRACT } from '../../../generated/contract/ledger/contract.ts';
import { parseJson, printJson } from '../../../runtime/json.ts';
import type { Fault, RpcRequest } from './fault-proxy.ts';

/** A fault that a server could have, and the cases that must notice it. */
export type SeededFault = Fault & {
  readonly title: string;
  /** The method whose cases must notice. */
  readonly method: keyof typeof CONTRACT;
  /** The cases to run; of all kinds when absent. */
  readonly kind?: Case['kind'];
  /** Of these, those with such a name; all when absent. */
  readonly named?: RegExp;
  /** The report must match it. */
  readonly noticed: RegExp;
};

/** Rewrites the text of every answer that has the pattern. */
export const replacing =
  (pattern: RegExp, by: string) =>
  (text: string): string =>
    text.replace(pattern, by);

/** Rewrites the params of the calls of one method. */
export const withParams =
  (method: string, change: (params: readonly unknown[]) => readonly unknown[]) =>
  (request: RpcRequest): RpcRequest =>
    request.method === method && Array.isArray(request.params)
      ? { ...request, params: change(request.params) }
      : request;

/** Rewrites the text of every call. */
export const rewriting =
  (from: string, to: string) =>
  (request: RpcRequest): RpcRequest =>
    parseJson(printJson(request).replaceAll(from, to)) as RpcRequest;

/** Rewrites every member of this name in an answer, wherever it stands; undefined leaves it out. */
export const changing =
  (name: string, change: (value: unknown) => unknown) =>
  (text: string): string => {
    const walk = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(walk);
      if (typeof value !== 'object' || value === null) return value;
      const members = Object.entries(value).map(
        ([key, member]) => [key, key === name ? change(member) : walk(member)] as const,
      );
      return Object.fromEntries(members.filter(([, member]) => member !== undefined));
    };
    return printJson(walk(parseJson(text)));
  };
