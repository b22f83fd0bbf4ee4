import type { Files } from '../area.ts';
import { type ProcessModel, type Setting, secretSettings } from '../model/process.ts';
import { HEADER, literal } from '../text.ts';

/** redaction.ts: the names of secrets, separate for each kind, so that nothing of the same name elsewhere is hidden. */
export const renderRedaction = (model: ProcessModel): Files => {
  const secret = secretSettings(model);
  return {
    'redaction.ts': `${HEADER}
/** Query parameters whose values are never logged. */
export const SECRET_QUERY_PARAMETERS = ${literal(model.credentials.query)} as const;

/** Headers, in lower case, whose values are never logged. */
export const SECRET_HEADERS = ${literal(model.credentials.headers)} as const;

/** Settings whose values are never logged, as paths in a configuration; [*] is every item of a list. */
export const SECRET_SETTINGS = ${literal(secret.map(pathText))} as const;

/** Environment variables whose values are never logged. */
export const SECRET_VARIABLES = ${literal(secret.flatMap(({ schema }) => schema['x-env'] ?? []))} as const;
`,
  };
};

/** `['networks', 0, 'name']` to `networks[*].name`. */
const pathText = ({ path }: Setting): string =>
  path.map((step, index) => (typeof step === 'number' ? '[*]' : index === 0 ? step : `.${step}`)).join('');
