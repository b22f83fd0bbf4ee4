import { ACCOUNT_TEXTS } from './account-text.ts';
import { BILLING_TEXTS } from './billing-text.ts';
import { KEY_TEXTS } from './key-text.ts';
import { LIST_TEXTS } from './list-text.ts';
import { MEMBER_TEXTS } from './member-text.ts';
import { describeNodes } from './nodes-text.ts';
import { OPERATOR_TEXTS } from './operator-text.ts';
import { PLAN_TEXTS } from './plan-text.ts';
import { SERVICE_LEVEL_TEXTS } from './service-level-text.ts';
import { SIGNER_TEXTS } from './signer-text.ts';
import { WEBHOOK_TEXTS } from './webhook-text.ts';
import { describeUsage } from './usage-text.ts';

/** The text of each result for people, by the kind of the request. */
const TEXTS: Readonly<Record<string, (result: never) => string>> = {
  ...KEY_TEXTS,
  ...PLAN_TEXTS,
  ...ACCOUNT_TEXTS,
  ...BILLING_TEXTS,
  ...OPERATOR_TEXTS,
  ...SIGNER_TEXTS,
  ...SERVICE_LEVEL_TEXTS,
  ...LIST_TEXTS,
  ...MEMBER_TEXTS,
  ...WEBHOOK_TEXTS,
  usage: describeUsage,
  nodes: describeNodes,
};

/** The text that a command prints for people. `result` is what it prints as JSON. */
export function describeResult(kind: string, result: unknown): string {
  return TEXTS[kind]?.(result as never) ?? `${JSON.stringify(result)}\n`;
}
