import { readFileSync } from 'node:fs';
import type { Files } from '../area.ts';
import { HEADER } from '../text.ts';

/** Modules copied as they are: codegen/runtime/<name> to the path below generated/. */
const MODULES: Readonly<Record<string, string>> = {
  'base58.ts': 'runtime/base58.ts',
  'check-body.ts': 'runtime/check-body.ts',
  'explain-params.ts': 'runtime/explain-params.ts',
  'field-problem.ts': 'runtime/field-problem.ts',
  'json.ts': 'runtime/json.ts',
  'item-stream.ts': 'runtime/item-stream.ts',
  'rest-call.ts': 'runtime/rest-call.ts',
  'decode.ts': 'runtime/decode.ts',
  'rpc-call.ts': 'runtime/rpc-call.ts',
  'branches.ts': 'test/branches.ts',
  'contract-case.ts': 'test/contract-case.ts',
  'wallet-case.ts': 'test/wallet-case.ts',
};

/** What the client package exports: the clients of both services. */
const PACKAGE = `export * from './ledger/package.ts';
export * from './wallets/package.ts';
`;

/** The hand-written modules that generated code imports, and what the client package exports. */
export const renderRuntime = (): Files => ({
  'package.ts': HEADER + PACKAGE,
  ...Object.fromEntries(
    Object.entries(MODULES).map(([name, path]) => [
      path,
      HEADER + readFileSync(new URL(`../runtime/${name}`, import.meta.url), 'utf8'),
    ]),
  ),
});
