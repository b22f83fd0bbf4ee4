import { basename } from 'node:path';
import type { Json } from '../../json.ts';
import type { Sources } from '../../load.ts';
import { type CatalogueError, readCatalogue } from '../errors.ts';
import {
  type CompiledProtos,
  compileProtos,
  type DescribeOutcome,
  describeProtos,
  type ProtoField,
  type ProtoFile,
  type ProtoMessage,
} from './compile-protos.ts';

export const STREAM_FILE = 'stream/keyslot/stream/v1/stream.proto';
export const TOPICS_FOLDER = 'stream/topics/';
/** The messages of the last release. Nothing is generated from it: `make check-breaking` compares with it. */
export const PUBLISHED_FILE = 'stream/published.yaml';
export const STREAM_PACKAGE = 'keyslot.stream.v1';
const ROOT = 'stream/';

/** A field of a topic's message; `message` where it is a message itself. */
export type TopicField = {
  readonly name: string;
  readonly jsonName: string;
  readonly number: number;
  /** As in the .proto file, for example `uint64`. */
  readonly type: string;
  readonly isRepeated: boolean;
  readonly isOptional: boolean;
  readonly description: string;
  /** From its `Example:` line; undefined if it has none, or one that is not JSON. */
  readonly example: Json | undefined;
  readonly message: readonly TopicField[] | undefined;
};

export type Topic = {
  readonly name: string;
  /** Path below spec/. */
  readonly file: string;
  readonly source: string;
  /** `Slot` */
  readonly message: string;
  /** `keyslot.stream.v1.Slot` */
  readonly messageType: string;
  readonly description: string;
  /** The scope of the access token that it needs. */
  readonly scope: string | undefined;
  readonly fields: readonly TopicField[];
};

export type StreamModel = {
  readonly topics: readonly Topic[];
  readonly source: string;
  readonly files: readonly ProtoFile[];
  readonly compiled: CompiledProtos;
  /** Errors that gRPC can answer. */
  readonly errors: readonly (CatalogueError & Required<Pick<CatalogueError, 'grpc'>>)[];
};

/** The .proto files, by path below spec/stream/. */
export const describeStream = (sources: Sources): DescribeOutcome => describeProtos(protoTexts(sources));

const protoTexts = (sources: Sources): ReadonlyMap<string, string> =>
  new Map(
    [...sources].flatMap(([file, text]) =>
      file.startsWith(ROOT) && typeof text === 'string' ? [[file.slice(ROOT.length), text] as const] : [],
    ),
  );

/** The streams; only of sources that passed lint. */
export const readStream = (sources: Sources): StreamModel => {
  const described = describeStream(sources);
  if ('faults' in described) throw new Error('the .proto files have faults');
  const { files } = described;
  return {
    files,
    compiled: compileProtos(protoTexts(sources)),
    topics: topicFiles(files).flatMap((file) => readTopic(file, sources)),
    source: String(sources.get(STREAM_FILE)),
    errors: readCatalogue(sources).filter(
      (error): error is StreamModel['errors'][number] => error.grpc !== undefined,
    ),
  };
};

/** The compiled files of topics, in the order of their names. */
export const topicFiles = (files: readonly ProtoFile[]): readonly ProtoFile[] =>
  files
    .filter(({ name }) => `${ROOT}${name}`.startsWith(TOPICS_FOLDER))
    .sort((a, b) => (a.name < b.name ? -1 : 1));

/** Path below spec/ of a compiled file. */
export const specPath = ({ name }: Pick<ProtoFile, 'name'>): string => `${ROOT}${name}`;

/** A topic for each top-level message of a file; lint ensures that there is one. */
export const readTopic = (file: ProtoFile, sources: Sources): readonly Topic[] =>
  (file.messageType ?? []).map((message, index) => {
    const { text, scope } = readComment(commentAt(file, [4, index]));
    return {
      name: basename(file.name, '.proto'),
      file: specPath(file),
      source: String(sources.get(specPath(file))),
      message: message.name,
      messageType: `${file.package ?? ''}.${message.name}`,
      description: text,
      scope,
      fields: readFields(file, message, [4, index]),
    };
  });

const readFields = (file: ProtoFile, message: ProtoMessage, path: readonly number[]): readonly TopicField[] =>
  (message.field ?? []).map((field, index) => {
    const { text, example } = readComment(commentAt(file, [...path, 2, index]));
    const nested = (message.nestedType ?? []).findIndex(({ name }) => field.typeName?.endsWith(`.${name}`));
    const target = message.nestedType?.[nested];
    return {
      name: field.name,
      jsonName: field.jsonName,
      number: field.number,
      type: typeOf(field),
      isRepeated: field.label === 'LABEL_REPEATED',
      isOptional: field.proto3Optional === true,
      description: text,
      example,
      message: target === undefined ? undefined : readFields(file, target, [...path, 3, nested]),
    };
  });

const typeOf = ({ type, typeName }: ProtoField): string =>
  typeName === undefined ? type.replace('TYPE_', '').toLowerCase() : (typeName.split('.').at(-1) ?? typeName);

const commentAt = ({ sourceCodeInfo }: ProtoFile, path: readonly number[]): string =>
  sourceCodeInfo?.location?.find((location) => String(location.path) === String(path))?.leadingComments ?? '';

/** The text of a comment in one line, without the lines for the generator. */
const readComment = (comment: string) => {
  const lines = comment.split('\n').map((line) => line.trim());
  const tagOf = (word: string): string | undefined =>
    lines.find((line) => line.startsWith(`${word}: `))?.slice(word.length + 2);
  const text = lines.filter((line) => line !== '' && !/^(Example|Scope): /.test(line)).join(' ');
  return { text, scope: tagOf('Scope'), example: parseExample(tagOf('Example')) };
};

const parseExample = (text: string | undefined): Json | undefined => {
  try {
    return text === undefined ? undefined : (JSON.parse(text) as Json);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
};

/** A topic's message in proto3 JSON, made of the examples of its fields. */
export const exampleOf = (fields: readonly TopicField[]): Json =>
  Object.fromEntries(
    fields.map(({ jsonName, message, example, isRepeated }) => {
      const value = message === undefined ? (example ?? null) : exampleOf(message);
      return [jsonName, message !== undefined && isRepeated ? [value] : value];
    }),
  );
