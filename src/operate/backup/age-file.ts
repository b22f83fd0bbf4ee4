import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { ReadableStream } from 'node:stream/web';
import { Readable } from 'node:stream';
import { Decrypter, Encrypter, generateX25519Identity, identityToRecipient } from 'age-encryption';
import { serviceError } from '../../core/service-error.ts';

type Bytes = AsyncGenerator<Uint8Array> | AsyncIterable<Uint8Array>;
/** The library uses the type of browsers. */
type LibraryStream = Parameters<Encrypter['encrypt']>[0] & globalThis.ReadableStream<Uint8Array>;

/** Generates an age key pair: the identity decrypts files that are encrypted to the recipient. Keep it apart. */
export async function newBackupKey(): Promise<{ readonly identity: string; readonly recipient: string }> {
  const identity = await generateX25519Identity();
  return { identity, recipient: await identityToRecipient(identity) };
}

/** Encrypts bytes to all recipients, as an age file (https://age-encryption.org/v1). @throws ServiceError `invalidCommand`. */
export async function encryptTo(recipients: readonly string[], bytes: Bytes): Promise<Readable> {
  const encrypter = new Encrypter();
  for (const recipient of recipients) addRecipient(encrypter, recipient);
  const encrypted = await encrypter.encrypt(ReadableStream.from(bytes) as unknown as LibraryStream);
  return Readable.fromWeb(encrypted as unknown as ReadableStream);
}

function addRecipient(encrypter: Encrypter, recipient: string): void {
  try {
    encrypter.addRecipient(recipient);
  } catch (error) {
    const reason = `${recipient} is not an age recipient, which begins with age1; create one with keyslot backup key`;
    throw serviceError('invalidCommand', { reason }, error);
  }
}

/**
 * Decrypts an age file. The bytes are authenticated: altered, reordered or incomplete data is never returned.
 *
 * @throws ServiceError `copyRefused` naming the file, if it is not an age file, was altered or cut off, or is encrypted to another key.
 */
export async function* decryptFile(path: string, identities: readonly string[]): AsyncGenerator<Uint8Array> {
  const decrypter = new Decrypter();
  for (const identity of identities) decrypter.addIdentity(identity);
  const file = createReadStream(path, { highWaterMark: 1024 * 1024 });
  try {
    const source = Readable.toWeb(file) as unknown as Parameters<Decrypter['decrypt']>[0];
    const decrypted = await decrypter.decrypt(source as globalThis.ReadableStream<Uint8Array>);
    yield* decrypted as unknown as AsyncIterable<Uint8Array>;
  } catch (error) {
    throw serviceError('copyRefused', { where: `backup ${path}`, reason: reasonOf(error) }, error);
  } finally {
    file.destroy();
  }
}

function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof Error && 'syscall' in error) return message;
  if (message.includes('no identity matched'))
    return 'it is not encrypted to this key, or its head was altered';
  if (message.includes('invalid version')) return 'it is not a backup: it is not an age file';
  return `it was altered, or is cut off (${message})`;
}

/**
 * Reads the identities of a file, as `keyslot backup key` and age-keygen write it: lines that begin with # are comments.
 *
 * @throws ServiceError `invalidCommand` if it has none.
 */
export async function readIdentities(path: string): Promise<readonly string[]> {
  const text = await readFile(path, 'utf8').catch((error: Error) => {
    throw serviceError('invalidCommand', { reason: `cannot read the key ${path}: ${error.message}` });
  });
  const lines = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'));
  const isIdentity = (line: string): boolean => /^AGE-SECRET-KEY-(PQ-)?1[0-9A-Z]+$/.test(line);
  if (lines.length > 0 && lines.every(isIdentity)) return lines;
  throw serviceError('invalidCommand', {
    reason: `${path} has no key: expected a line that begins with AGE-SECRET-KEY-1`,
  });
}
