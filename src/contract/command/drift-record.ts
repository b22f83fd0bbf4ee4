import { createAnswerCheck } from '../../ledger/drift/answer-check.ts';
import type { Finding } from '../../ledger/drift/finding.ts';
import { isMembers } from '../../ledger/drift/schema-forms.ts';
import { openrpcDocument } from '../../ledger/openrpc-document.ts';
import type { HearAnswer } from '../json-rpc.ts';

/** What a server answered that the specification does not know. */
export type DriftReport = {
  /** What the server says that its version is; undefined where it did not. */
  readonly version: string | undefined;
  /** `count`: in how many answers it was. */
  readonly findings: readonly (Finding & { readonly count: number })[];
};

export type DriftRecord = {
  /** Takes the answer to a call, or a message that is none. */
  readonly hear: HearAnswer;
  readonly report: () => DriftReport;
};

/** More names than these tell no more of a server. */
const MAX_NAMES = 1_000;
const MAX_VERSION_CHARACTERS = 64;

/** Holds everything that a run is answered against the specification. */
export function createDriftRecord(): DriftRecord {
  const check = createAnswerCheck(openrpcDocument());
  const counts = new Map<string, Finding & { count: number }>();
  let version: string | undefined;
  const note = (finding: Finding): void => {
    const key = `${finding.kind} ${finding.name}`;
    const known = counts.get(key);
    if (known !== undefined) known.count += 1;
    else if (counts.size < MAX_NAMES) counts.set(key, { ...finding, count: 1 });
  };
  return {
    hear: (method, text) => {
      const message = parse(text);
      if (method === 'getVersion') version = versionIn(message) ?? version;
      const found = method === undefined ? check.notification(message) : check.reply(method, message);
      for (const finding of found) note(finding);
    },
    report: () => ({ version, findings: [...counts.values()] }),
  };
}

/** What is no JSON is told by the case. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}

function versionIn(message: unknown): string | undefined {
  const result = isMembers(message) ? message.result : undefined;
  const version = isMembers(result) ? result['solana-core'] : undefined;
  return typeof version === 'string' ? version.slice(0, MAX_VERSION_CHARACTERS) : undefined;
}
