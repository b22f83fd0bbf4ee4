import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const fromModules = (path: string): string =>
  fileURLToPath(new URL(`../../../node_modules/${path}`, import.meta.url));
const BUF = fromModules('@bufbuild/buf/bin/buf');
const TS_PROTO = fromModules('ts-proto/protoc-gen-ts_proto');

/** Plain types that Node strips: literals in the place of enums, bigint for 64 bits, a service definition for grpc-js. */
const TS_PROTO_OPTIONS = [
  'outputServices=grpc-js',
  'env=node',
  'forceLong=bigint',
  'esModuleInterop=true',
  'importSuffix=.ts',
  'enumsAsLiterals=true',
  'useReadonlyTypes=true',
  'unrecognizedEnum=false',
  'outputPartialMethods=false',
  'annotateFilesWithVersion=false',
];

/** A compiler's error in a file; lines and columns from 1. */
export type ProtoFault = {
  readonly path: string;
  readonly line: number;
  readonly column: number;
  readonly message: string;
};

/** The parts of protobuf's descriptors that are read here, as JSON (google/protobuf/descriptor.proto). */
export type ProtoField = {
  readonly name: string;
  readonly number: number;
  readonly label: string;
  readonly type: string;
  readonly typeName?: string;
  readonly jsonName: string;
  readonly proto3Optional?: boolean;
};
export type ProtoMessage = {
  readonly name: string;
  readonly field?: readonly ProtoField[];
  readonly nestedType?: readonly ProtoMessage[];
};
export type ProtoFile = {
  readonly name: string;
  readonly package?: string;
  readonly dependency?: readonly string[];
  readonly messageType?: readonly ProtoMessage[];
  readonly enumType?: readonly { readonly name: string }[];
  readonly service?: readonly { readonly name: string }[];
  readonly sourceCodeInfo?: {
    readonly location?: readonly { readonly path?: readonly number[]; readonly leadingComments?: string }[];
  };
};

/** The .proto files with their comments, or their errors. */
export type DescribeOutcome =
  | { readonly files: readonly ProtoFile[] }
  | { readonly faults: readonly ProtoFault[] };

export type CompiledProtos = {
  /** A FileDescriptorSet without comments, base64. */
  readonly descriptorSet: string;
  /** The output of ts-proto for each file, by its path with .ts at the end. */
  readonly modules: Readonly<Record<string, string>>;
};

type ProtoTexts = ReadonlyMap<string, string>;

/** Caches a pure function of texts. */
const keeping = <T>(make: (texts: ProtoTexts) => T): ((texts: ProtoTexts) => T) => {
  const kept = new Map<string, T>();
  return (texts) => {
    const key = JSON.stringify([...texts]);
    const made = kept.get(key) ?? make(texts);
    kept.set(key, made);
    return made;
  };
};

/** Parses .proto texts by path, with buf. */
export const describeProtos = keeping(
  (texts): DescribeOutcome =>
    inFolder(texts, (folder) => {
      const image = buf(folder, 'build', '--error-format=json', '-o', '-#format=json');
      if ('faults' in image) return image;
      const { file } = JSON.parse(image.output.toString('utf8')) as { readonly file: readonly ProtoFile[] };
      return { files: file };
    }),
);

/** Compiles valid .proto texts, with buf and ts-proto. */
export const compileProtos = keeping(
  (texts): CompiledProtos =>
    inFolder(texts, (folder) => {
      const set = sound(buf(folder, 'build', '--as-file-descriptor-set', '--exclude-source-info', '-o', '-'));
      sound(buf(folder, 'generate'));
      return { descriptorSet: set.toString('base64'), modules: readModules(join(folder, 'out')) };
    }),
);

/** Runs work on the texts in a temporary folder, with the settings of buf. */
const inFolder = <T>(texts: ProtoTexts, work: (folder: string) => T): T => {
  const folder = mkdtempSync(join(tmpdir(), 'protos-'));
  try {
    for (const [path, text] of texts) {
      mkdirSync(dirname(join(folder, 'protos', path)), { recursive: true });
      writeFileSync(join(folder, 'protos', path), text);
    }
    writeFileSync(join(folder, 'buf.yaml'), JSON.stringify({ version: 'v2', modules: [{ path: 'protos' }] }));
    writeFileSync(join(folder, 'buf.gen.yaml'), JSON.stringify(GENERATION));
    return work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

const sound = (outcome: BufOutcome): Buffer => {
  if ('faults' in outcome) throw new Error('the .proto files do not compile');
  return outcome.output;
};

const GENERATION = {
  version: 'v2',
  plugins: [{ local: [process.execPath, TS_PROTO], out: 'out', opt: TS_PROTO_OPTIONS }],
};

const MAX_OUTPUT_BYTES = 256 * 1024 * 1024;

type BufOutcome = { readonly output: Buffer } | { readonly faults: readonly ProtoFault[] };

/** Exit code 100 of buf means errors in the texts; any other failure is thrown. */
const buf = (cwd: string, ...args: readonly string[]): BufOutcome => {
  try {
    const output = execFileSync(process.execPath, [BUF, ...args], {
      cwd,
      maxBuffer: MAX_OUTPUT_BYTES,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    return { output };
  } catch (error) {
    const { status, stdout, stderr } = error as { status?: number; stdout?: Buffer; stderr?: Buffer };
    if (status !== 100) throw error;
    return { faults: readFaults(`${stdout ?? ''}${stderr ?? ''}`) };
  }
};

const readFaults = (output: string): readonly ProtoFault[] =>
  output
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map(
      (line) =>
        JSON.parse(line) as { path?: string; start_line?: number; start_column?: number; message?: string },
    )
    .map(({ path = '', start_line: line = 1, start_column: column = 1, message = '' }) => ({
      line,
      column,
      message,
      path: path.replace(/^protos\//, ''),
    }));

const readModules = (folder: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.ts'))
      .map((path) => path.replaceAll('\\', '/'))
      .sort()
      .map((path) => [path, readFileSync(join(folder, path), 'utf8')]),
  );
