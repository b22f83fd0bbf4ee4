import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { ROOT } from '../support/source-files.ts';

const FOLDER = new URL('docs/deploy/', ROOT);

/** The path of a file of docs/deploy. */
export const deployPath = (name: string): string => fileURLToPath(new URL(name, FOLDER));

/** The text of a file of docs/deploy. */
export const readDeployFile = (name: string): string => readFileSync(new URL(name, FOLDER), 'utf8');

/** A YAML file of docs/deploy. */
export function readDeployYaml<T>(name: string): T {
  return parse(readDeployFile(name), { merge: true }) as T;
}

/** The sections of a unit of systemd: the values of each directive, in order. */
export function readUnit(
  name: string,
): Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> {
  const sections: Record<string, Record<string, string[]>> = {};
  let current: Record<string, string[]> = {};
  for (const line of readDeployFile(name).split('\n')) {
    if (line === '' || line.startsWith('#')) continue;
    const section = /^\[(\w+)\]$/.exec(line)?.[1];
    if (section !== undefined) {
      current = {};
      sections[section] = current;
      continue;
    }
    const equals = line.indexOf('=');
    if (equals < 1) throw new Error(`${name}: ${line} is no directive`);
    const key = line.slice(0, equals);
    current[key] = [...(current[key] ?? []), line.slice(equals + 1)];
  }
  return sections;
}
