import { closeSync, fsyncSync, openSync } from 'node:fs';

/** Returns when the names in a directory stay if the machine stops. @throws an error of the operating system. */
export function syncDirectory(directory: string): void {
  const file = openSync(directory, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
