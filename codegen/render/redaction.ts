import type { Files } from '../area.ts';
import { type ProcessModel, secretNames } from '../model/process.ts';
import { HEADER, literal } from '../text.ts';

/** What carries the account's key on every protocol (interface.md section 5, and X-Api-Key beside it). */
const CREDENTIAL_NAMES = ['apikey', 'authorization', 'x-api-key'];

/** redaction.ts: the names whose values are secrets. */
export const renderRedaction = (model: ProcessModel): Files => ({
  'redaction.ts': `${HEADER}
/** Names (query parameters and headers in lower case, settings, environment variables) whose values are never logged. */
export const SECRET_NAMES = ${literal([...new Set([...CREDENTIAL_NAMES, ...secretNames(model)])].sort())} as const;
`,
});
