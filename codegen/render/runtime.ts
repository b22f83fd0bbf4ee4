import { readFileSync } from 'node:fs';
import { dirname } from 'node:path/posix';
import type { Files } from '../area.ts';
import { HEADER } from '../text.ts';

/** Modules that are copied: codegen/runtime/<name> to the path below generated/. */
const MODULES: Readonly<Record<string, string>> = {
  'base58.ts': 'runtime/base58.ts',
  'describe-value.ts': 'runtime/describe-value.ts',
  'tag-fault.ts': 'runtime/tag-fault.ts',
  'check-body.ts': 'runtime/check-body.ts',
  'explain-params.ts': 'runtime/explain-params.ts',
  'field-problem.ts': 'runtime/field-problem.ts',
  'json.ts': 'runtime/json.ts',
  'item-stream.ts': 'runtime/item-stream.ts',
  'read-document.ts': 'runtime/read-document.ts',
  'rest-call.ts': 'runtime/rest-call.ts',
  'complete-call.ts': 'runtime/complete-call.ts',
  'stream-call.ts': 'runtime/stream-call.ts',
  'decode.ts': 'runtime/decode.ts',
  'call-error.ts': 'runtime/call-error.ts',
  'rpc-call.ts': 'runtime/rpc-call.ts',
  'socket-link.ts': 'runtime/socket-link.ts',
  'notification-queue.ts': 'runtime/notification-queue.ts',
  'kept-link.ts': 'runtime/kept-link.ts',
  'notification-parts.ts': 'runtime/notification-parts.ts',
  'subscription-types.ts': 'runtime/subscription-types.ts',
  'subscription-hub.ts': 'runtime/subscription-hub.ts',
  'subscription-client.ts': 'runtime/subscription-client.ts',
  'branches.ts': 'contract/branches.ts',
  'contract-case.ts': 'contract/contract-case.ts',
  'int-kinds.ts': 'contract/int-kinds.ts',
  'lazy-validators.ts': 'contract/lazy-validators.ts',
  'missing-in.ts': 'contract/missing-in.ts',
  'result-schema.ts': 'contract/result-schema.ts',
  'value-keywords.ts': 'contract/value-keywords.ts',
  'wallet-case.ts': 'contract/wallet-case.ts',
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
      HEADER + withMovedImports(readFileSync(new URL(`../runtime/${name}`, import.meta.url), 'utf8'), path),
    ]),
  ),
});

/** What modules in contract/ import of those in runtime/ lies beside their folder. */
const withMovedImports = (text: string, path: string): string =>
  text.replace(/ from '\.\/([\w-]+\.ts)'/g, (written, name: string) =>
    dirname(MODULES[name] ?? '') === dirname(path) ? written : ` from '../${MODULES[name]}'`,
  );
