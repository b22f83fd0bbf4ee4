import { BinaryReader, WireType } from '@bufbuild/protobuf/wire';

/** The files of a FileDescriptorSet (google/protobuf/descriptor.proto). A file is an encoded FileDescriptorProto. */
export type DescriptorIndex = {
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
export function indexDescriptors(descriptorSet: Uint8Array): DescriptorIndex {
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
