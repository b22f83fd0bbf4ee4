import { createRequire } from 'node:module';
import { isJsonObject, printJson } from '../../json.ts';
import { HEAD_FILE } from '../../model/ledger.ts';
import { openrpcDocument } from '../../render/ledger/openrpc.ts';
import { finding, type Rule } from './rule.ts';

type Validation = true | { readonly message: string };
type SchemaUtils = { readonly validateOpenRPCDocument: (document: unknown) => Validation };

/** The package is CommonJS and slow to load with its network clients; only its validator is used, which reads no address. */
const loadValidator = (): SchemaUtils['validateOpenRPCDocument'] => {
  const utils = createRequire(import.meta.url)('@open-rpc/schema-utils-js') as SchemaUtils;
  return utils.validateOpenRPCDocument;
};

/** The bundle is an OpenRPC document, as @open-rpc/schema-utils-js sees it. */
export const checkDocument: Rule = ({ model }) => {
  const validate = loadValidator();
  const result = validate(JSON.parse(printJson(openrpcDocument(model()))));
  return result === true
    ? []
    : messages(result.message).map((message) =>
        finding('openrpc', { file: HEAD_FILE, pointer: '' }, message, false),
      );
};

/** The validator prints its errors as a JSON array below a heading. */
const messages = (text: string): readonly string[] => {
  const errors: unknown = JSON.parse(text.slice(text.indexOf('[\n')));
  return (Array.isArray(errors) ? errors : []).flatMap((error: unknown) =>
    isJsonObject(error) ? [`${String(error.dataPath)} ${String(error.message)}`] : [],
  );
};
