import { BinaryReader, BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { type Server, type ServerDuplexStream, status } from '@grpc/grpc-js';
import { DESCRIPTOR_SET } from '../../../generated/stream/descriptors.ts';

/** A request (grpc/reflection/v1/reflection.proto), with its own bytes, which the answer repeats. */
type ReflectionRequest = {
  readonly bytes: Uint8Array;
  readonly host: string;
  /** The last one that is set: the field number of its member of `message_request`, and the value. */
  readonly query: { readonly field: number; readonly text: string; readonly extension: number } | undefined;
};

/** Field numbers of ServerReflectionRequest. */
const QUERY = {
  fileByFilename: 3,
  fileContainingSymbol: 4,
  fileContainingExtension: 5,
  allExtensionNumbersOfType: 6,
  listServices: 7,
} as const;

/** Field numbers of ServerReflectionResponse. */
const ANSWER = { fileDescriptors: 4, services: 6, error: 7 } as const;

/** Both packages have the same messages; older tools know the second one only. */
const PACKAGES = ['grpc.reflection.v1', 'grpc.reflection.v1alpha'];

/** Adds the reflection service to a server: tools discover the stream service and its topics without any file. It needs no key. */
export function addReflection(server: Server): void {
  const index = indexDescriptors(Buffer.from(DESCRIPTOR_SET, 'base64'));
  const serve = (stream: ServerDuplexStream<ReflectionRequest, Buffer>): void => {
    stream.on('data', (request: ReflectionRequest) => {
      if (stream.write(answer(index, request))) return;
      // A client that does not read the answers is not read from.
      stream.pause().once('drain', () => stream.resume());
    });
    stream.on('end', () => stream.end());
  };
  for (const name of PACKAGES)
    server.register(
      `/${name}.ServerReflection/ServerReflectionInfo`,
      serve,
      (bytes: Buffer) => bytes,
      readRequest,
      'bidi',
    );
}

function answer(index: DescriptorIndex, { bytes, host, query }: ReflectionRequest): Buffer {
  const writer = new BinaryWriter();
  if (host !== '') writer.uint32(tag(1)).string(host);
  writer.uint32(tag(2)).bytes(bytes);
  writeAnswer(writer, index, query);
  return Buffer.from(writer.finish());
}

function writeAnswer(writer: BinaryWriter, index: DescriptorIndex, query: ReflectionRequest['query']): void {
  const { field, text = '', extension = 0 } = query ?? {};
  if (field === QUERY.listServices) writeServices(writer, index.services);
  else if (field === QUERY.fileByFilename)
    writeFile(writer, index.files.get(text), `Proto file not found: ${text}`);
  else if (field === QUERY.fileContainingSymbol)
    writeFile(writer, index.symbols.get(text), `Symbol not found: ${text}`);
  else if (field === QUERY.fileContainingExtension)
    writeError(writer, status.NOT_FOUND, `Extension not found for symbol ${text} at field ${extension}`);
  else if (field === QUERY.allExtensionNumbersOfType)
    writeError(writer, status.NOT_FOUND, `Extensions not found for symbol ${text}`);
  else writeError(writer, status.UNIMPLEMENTED, 'Unimplemented method for request: undefined');
}

function writeServices(writer: BinaryWriter, services: readonly string[]): void {
  writer.uint32(tag(ANSWER.services)).fork();
  for (const name of services) writer.uint32(tag(1)).fork().uint32(tag(1)).string(name).join();
  writer.join();
}

function writeFile(writer: BinaryWriter, file: Uint8Array | undefined, otherwise: string): void {
  if (file === undefined) writeError(writer, status.NOT_FOUND, otherwise);
  else writer.uint32(tag(ANSWER.fileDescriptors)).fork().uint32(tag(1)).bytes(file).join();
}

function writeError(writer: BinaryWriter, code: status, message: string): void {
  writer.uint32(tag(ANSWER.error)).fork().uint32(8).int32(code).uint32(tag(2)).string(message).join();
}

function readRequest(bytes: Buffer): ReflectionRequest {
  const reader = new BinaryReader(bytes);
  let host = '';
  let query: ReflectionRequest['query'];
  while (reader.pos < reader.len) {
    const [field, type] = reader.tag();
    if (field === 1) host = reader.string();
    else if (field === QUERY.fileContainingExtension) query = { field, ...readExtension(reader.bytes()) };
    else if (field >= QUERY.fileByFilename && field <= QUERY.listServices)
      query = { field, text: reader.string(), extension: 0 };
    else reader.skip(type, field);
  }
  return { bytes, host, query };
}

/** ExtensionRequest: containing_type = 1, extension_number = 2. */
function readExtension(bytes: Uint8Array): { text: string; extension: number } {
  const reader = new BinaryReader(bytes);
  const read = { text: '', extension: 0 };
  while (reader.pos < reader.len) {
    const [field, type] = reader.tag();
    if (field === 1) read.text = reader.string();
    else if (field === 2) read.extension = reader.int32();
    else reader.skip(type, field);
  }
  return read;
}

/** The tag of a length-delimited field. */
function tag(field: number): number {
  return (field << 3) | 2;
}

/** The files of a FileDescriptorSet (google/protobuf/descriptor.proto). A file is an encoded FileDescriptorProto. */
type DescriptorIndex = {
  /** By path. */
  readonly files: ReadonlyMap<string, Uint8Array>;
  /** The file that declares a symbol, by its full name: a message, field, oneof, enum, enum value, service or method. */
  readonly symbols: ReadonlyMap<string, Uint8Array>;
  /** Full names. */
  readonly services: readonly string[];
};

/** Field numbers of the declarations within each kind of declaration. The name is field 1 of each. */
const DECLARATIONS = {
  file: { 4: 'message', 5: 'enum', 6: 'service' },
  message: { 2: 'member', 3: 'message', 4: 'enum', 8: 'member' },
  enum: { 2: 'member' },
  service: { 2: 'member' },
  member: {},
} as const satisfies Readonly<Record<string, Readonly<Record<number, string>>>>;

type Kind = keyof typeof DECLARATIONS;
type Declaration = { readonly kind: Kind; readonly bytes: Uint8Array };

/** Indexes a FileDescriptorSet whose files import nothing. */
function indexDescriptors(descriptorSet: Uint8Array): DescriptorIndex {
  const files = new Map<string, Uint8Array>();
  const symbols = new Map<string, Uint8Array>();
  const services: string[] = [];
  const declare = (file: Uint8Array, scope: string, { kind, bytes }: Declaration): void => {
    const { name, declarations } = readDeclaration(kind, bytes);
    const fullName = `${scope}.${name}`;
    symbols.set(fullName, file);
    if (kind === 'service') services.push(fullName);
    for (const each of declarations) declare(file, fullName, each);
  };
  for (const file of bytesOf(descriptorSet, 1)) {
    const { name, declarations } = readDeclaration('file', file);
    const [packageName] = bytesOf(file, 2);
    files.set(name, file);
    for (const each of declarations) declare(file, textOf(packageName), each);
  }
  return { files, symbols, services };
}

function readDeclaration(kind: Kind, bytes: Uint8Array) {
  const [name] = bytesOf(bytes, 1);
  const declarations = Object.entries(DECLARATIONS[kind]).flatMap(([field, inner]: [string, Kind]) =>
    bytesOf(bytes, Number(field)).map((each): Declaration => ({ kind: inner, bytes: each })),
  );
  return { name: textOf(name), declarations };
}

/** Returns the values of a length-delimited field, in order. */
function bytesOf(message: Uint8Array, wanted: number): readonly Uint8Array[] {
  const reader = new BinaryReader(message);
  const found: Uint8Array[] = [];
  while (reader.pos < reader.len) {
    const [field, type] = reader.tag();
    if (field === wanted && type === WireType.LengthDelimited) found.push(reader.bytes());
    else reader.skip(type, field);
  }
  return found;
}

function textOf(bytes: Uint8Array | undefined): string {
  return Buffer.from(bytes ?? []).toString('utf8');
}
