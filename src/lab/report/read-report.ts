import { readFile } from 'node:fs/promises';
import { serviceError } from '../../base/service-error.ts';
import { REPORT_FORM } from './report.ts';
import type { SignedReport } from './sign-report.ts';

const PUBLIC_KEY = /^[0-9a-f]{64}$/;
const SIGNATURE = /^[0-9a-f]{128}$/;
/** No report is so long. */
const MOST_BYTES = 64 * 1024 * 1024;

/**
 * Reads a signed report. Its signature is not verified.
 *
 * @throws ServiceError `invalidCommand` for a file that cannot be read, or is no signed report of a form that this version knows.
 */
export async function readReport(path: string): Promise<SignedReport> {
  const text = await readFile(path, 'utf8').catch((error: Error) => {
    throw mistake(`${path} cannot be read: ${error.message}`, error);
  });
  if (text.length > MOST_BYTES) throw mistake(`${path} has ${text.length} characters; at most ${MOST_BYTES}`);
  const value = parse(path, text);
  if (!isSigned(value)) throw mistake(`${path} is no report of the lab: it has no report, or no signature`);
  const { form } = value.report;
  if (form !== REPORT_FORM)
    throw mistake(`${path} has the form ${JSON.stringify(form)}; expected "${REPORT_FORM}"`);
  return value;
}

function parse(path: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw mistake(`${path} is not JSON`, error);
  }
}

type Parts = {
  readonly report?: unknown;
  readonly signature?: { readonly public_key?: unknown; readonly value?: unknown };
};

function isSigned(value: unknown): value is SignedReport {
  const { report, signature } = (value ?? {}) as Parts;
  if (typeof report !== 'object' || report === null) return false;
  const { public_key: key, value: signed } = signature ?? {};
  return (
    typeof key === 'string' && PUBLIC_KEY.test(key) && typeof signed === 'string' && SIGNATURE.test(signed)
  );
}

function mistake(reason: string, cause?: unknown): Error {
  return serviceError('invalidCommand', { reason }, cause);
}
