import {
  accessSync,
  constants,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { serviceError } from '../../core/service-error.ts';
import { makeDirectory } from '../disk/make-directory.ts';
import { errorKind, optionProblem } from '../genesis-options/option-problem.ts';
import { readSaved, type SavedState, savedBytes } from './saved-state.ts';

const MAX_BYTES = 1024 * 1024 * 1024;

const ENDING = '.snapshot';
const UNFINISHED = `${ENDING}.tmp`;
/** Another ledger with the same directory may be writing a file that changed more recently. */
const ABANDONED_MS = 60_000;

/** Creates the directory of snapshots, and deletes incomplete files in it. @throws ServiceError invalidConfig. */
export function openSnapshotDirectory(directory: string | undefined): void {
  if (directory === undefined) return;
  try {
    makeDirectory(directory);
    accessSync(directory, constants.W_OK | constants.X_OK);
    for (const name of readdirSync(directory))
      if (name.endsWith(UNFINISHED)) deleteAbandoned(join(directory, name));
  } catch (error) {
    throw optionProblem(`--snapshot-dir: ${directory} cannot be written (${errorKind(error)})`, error);
  }
}

function deleteAbandoned(path: string): void {
  const changedMs = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
  if (Date.now() - changedMs > ABANDONED_MS) rmSync(path, { force: true });
}

/**
 * Writes a state to a file of the directory, as a whole or not at all. Returns its size.
 *
 * @throws ServiceError invalidParam; snapshotNotSaved: the system refuses to write it.
 */
export function writeSavedState(directory: string | undefined, name: string, state: SavedState): number {
  const path = pathOf(directory, name);
  const temporary = `${path}.tmp`;
  const bytes = savedBytes(state);
  if (bytes.length > MAX_BYTES) throw tooLarge(name, bytes.length);
  try {
    makeDirectory(directoryOf(directory));
    writeFileSync(temporary, bytes, { mode: 0o600 });
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw serviceError('snapshotNotSaved', { reason: `${path}: ${errorKind(error)}` }, error);
  }
  return bytes.length;
}

/** Reads a state from a file of the directory. @throws ServiceError invalidParam. */
export function readSavedState(directory: string | undefined, name: string): SavedState {
  const path = pathOf(directory, name);
  let bytes: Buffer;
  try {
    const { size } = statSync(path);
    if (size > MAX_BYTES) throw tooLarge(name, size);
    bytes = readFileSync(path);
  } catch (error) {
    if (error instanceof Error && 'syscall' in error)
      throw refused(`the file ${path} cannot be read (${errorKind(error)})`, error);
    throw error;
  }
  const read = readSaved(bytes);
  if (read.kind === 'fault') throw refused(`the file ${path} is not a snapshot: ${read.reason}`);
  return read.state;
}

/** The name is that of a snapshot: it has no separator. */
function pathOf(directory: string | undefined, name: string): string {
  return join(directoryOf(directory), `${name}${ENDING}`);
}

function directoryOf(directory: string | undefined): string {
  if (directory === undefined) throw refused('snapshot files need --snapshot-dir, which is not set');
  return directory;
}

function tooLarge(name: string, bytes: number) {
  return refused(`the snapshot ${name} has ${bytes} bytes, and the limit of a file is ${MAX_BYTES}`);
}

function refused(reason: string, cause?: unknown) {
  return serviceError('invalidParam', { reason }, cause);
}
