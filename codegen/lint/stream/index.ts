import { isJsonObject, type Json } from '../../json.ts';
import type { Sources } from '../../load.ts';
import type { ProtoFile } from '../../model/stream/compile-protos.ts';
import {
  describeStream,
  readTopic,
  specPath,
  STREAM_FILE,
  STREAM_PACKAGE,
  type Topic,
  type TopicField,
  topicFiles,
} from '../../model/stream/stream.ts';
import { namesOf, WALLETS } from '../../model/rest/service.ts';
import type { Problem } from '../../problem.ts';
import { allowedNames } from '../allowed-names.ts';

/**
 * The .proto files: they compile; the service exists; a topic's file imports nothing, declares one message of the package
 * keyslot.stream.v1, whose first field is the slot, describes everything and has an example of each field; its scope belongs to the wallet
 * service.
 */
export const lintStream = (sources: Sources): readonly Problem[] => {
  if (!sources.has(STREAM_FILE)) return [problem(STREAM_FILE, '', 'the file is missing')];
  const described = describeStream(sources);
  if ('faults' in described) {
    return described.faults.map(({ path, line, column, message }) =>
      problem(specPath({ name: path }), '', `line ${line}, column ${column}: ${message}`),
    );
  }
  const scopes = scopesOf(sources);
  return topicFiles(described.files).flatMap((file) => {
    const parts = checkParts(file);
    return parts.length > 0 ? parts : readTopic(file, sources).flatMap((topic) => checkTopic(topic, scopes));
  });
};

const checkParts = (file: ProtoFile): readonly Problem[] => {
  const at = specPath(file);
  const { messageType: messages = [], enumType: enums = [], service: services = [], dependency = [] } = file;
  return [
    ...(file.package === STREAM_PACKAGE ? [] : [problem(at, '', `the package must be ${STREAM_PACKAGE}`)]),
    ...(dependency.length === 0
      ? []
      : [problem(at, '', `it imports ${dependency.join(', ')}; a topic imports nothing`)]),
    ...(messages.length === 1 && enums.length + services.length === 0
      ? []
      : [problem(at, '', 'the file must declare one message and nothing else; nest other messages in it')]),
  ];
};

const checkTopic = ({ file, message, description, scope, fields }: Topic, scopes: readonly string[]) => {
  const [slot] = fields;
  return [
    ...(description === '' ? [problem(file, message, 'the message has no comment')] : []),
    ...(scope === undefined || scopes.includes(scope)
      ? []
      : [problem(file, message, `unknown scope ${scope}${allowedNames(scope, scopes)}`)]),
    ...(slot?.name === 'slot' && slot.number === 1 && slot.type === 'uint64' && !slot.isRepeated
      ? []
      : [problem(file, message, 'the first field must be uint64 slot = 1')]),
    ...fields.flatMap((field) => checkField(file, message, field)),
  ];
};

const checkField = (file: string, owner: string, field: TopicField): readonly Problem[] => {
  const { name, description, example, message, isRepeated } = field;
  const at = `${owner}/${name}`;
  return [
    ...(description === '' ? [problem(file, at, 'the field has no comment')] : []),
    ...(message !== undefined
      ? message.flatMap((inner) => checkField(file, at, inner))
      : fitsField(example, field.type, isRepeated)
        ? []
        : [
            problem(
              file,
              at,
              `the comment needs a line "Example: ", with JSON of ${isRepeated ? 'a list of ' : ''}${field.type}`,
            ),
          ]),
  ];
};

const fitsField = (example: Json | undefined, type: string, isRepeated: boolean): boolean =>
  isRepeated
    ? Array.isArray(example) && example.length > 0 && example.every((item) => fitsType(item, type))
    : fitsType(example, type);

/** Proto3 JSON: integers of 64 bits and bytes are strings. */
const fitsType = (example: Json | undefined, type: string): boolean => {
  if (/^[us]?int64$/.test(type)) return typeof example === 'string' && /^-?\d+$/.test(example);
  if (/^[us]?int32$/.test(type)) return Number.isInteger(example);
  if (type === 'bool') return typeof example === 'boolean';
  if (type === 'bytes') return typeof example === 'string' && /^[A-Za-z0-9+/]+={0,2}$/.test(example);
  return type === 'string' && typeof example === 'string';
};

const scopesOf = (sources: Sources): readonly string[] => {
  const head = sources.get(namesOf(WALLETS).headFile);
  const scopes = isJsonObject(head) ? head['x-scopes'] : undefined;
  return isJsonObject(scopes) ? Object.keys(scopes) : [];
};

const problem = (file: string, place: string, message: string): Problem => ({
  file,
  pointer: place === '' ? '' : `/${place}`,
  rule: 'stream',
  message,
  blocking: true,
});
