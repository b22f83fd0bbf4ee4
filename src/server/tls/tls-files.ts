import { readFile } from 'node:fs/promises';
import { createSecureContext } from 'node:tls';
import type { Logger } from 'pino';

/** A certificate with its chain, and its key, both PEM. */
export type TlsPair = { readonly cert: Buffer; readonly key: Buffer };

/** What a listener speaks TLS with. */
export type TlsOptions = TlsPair & {
  /** Calls back with each pair that takes the place of this one: connections that come later get it, those that are open stay. */
  readonly follow?: (apply: (pair: TlsPair) => void) => void;
};

export type TlsFilesOptions = {
  readonly certFile: string;
  readonly keyFile: string;
  readonly log: Pick<Logger, 'info' | 'error'>;
  /** How often the files are looked at. */
  readonly intervalMs?: number;
};

const INTERVAL_MS = 1_000;

/**
 * The files of TLS, read anew when they change. They are compared by what is in them: it does not matter whether they are written
 * over, renamed into place, or reached by a link that is pointed elsewhere. A pair that is half written, or does not fit, changes nothing.
 */
export class TlsFiles {
  readonly #options: TlsFilesOptions;
  readonly #followers: ((pair: TlsPair) => void)[] = [];
  readonly #timer: NodeJS.Timeout;
  #current: TlsPair;
  /** What was found last that could not be used: it is told once. */
  #refused: string | undefined;
  #isLooking = false;

  private constructor(options: TlsFilesOptions, current: TlsPair) {
    this.#options = options;
    this.#current = current;
    this.#timer = setInterval(() => void this.#look(), options.intervalMs ?? INTERVAL_MS).unref();
  }

  /** Reads the files, and looks at them until `close`. Rejects when one cannot be read. */
  static async open(options: TlsFilesOptions): Promise<TlsFiles> {
    return new TlsFiles(options, await readPair(options));
  }

  /** For a listener that is started now. */
  get options(): TlsOptions {
    return { ...this.#current, follow: (apply) => void this.#followers.push(apply) };
  }

  close(): void {
    clearInterval(this.#timer);
    this.#followers.length = 0;
  }

  async #look(): Promise<void> {
    if (this.#isLooking) return;
    this.#isLooking = true;
    try {
      const pair = await readPair(this.#options);
      if (isSame(pair, this.#current)) this.#refused = undefined;
      else this.#use(pair);
    } catch (error) {
      this.#refuse(error instanceof Error ? error.message : String(error));
    } finally {
      this.#isLooking = false;
    }
  }

  /** @throws what OpenSSL says of a pair that cannot be used. */
  #use(pair: TlsPair): void {
    createSecureContext({ ...pair });
    this.#current = pair;
    this.#refused = undefined;
    for (const apply of this.#followers) apply(pair);
    const { certFile } = this.#options;
    this.#options.log.info({ certFile }, 'the TLS certificate has changed and is used from now on');
  }

  #refuse(reason: string): void {
    if (reason === this.#refused) return;
    this.#refused = reason;
    const { certFile, keyFile, log } = this.#options;
    log.error(
      { certFile, keyFile, reason },
      'the TLS files have changed and cannot be used; the certificate before them is served on',
    );
  }
}

async function readPair({ certFile, keyFile }: TlsFilesOptions): Promise<TlsPair> {
  const [cert, key] = await Promise.all([readFile(certFile), readFile(keyFile)]);
  return { cert, key };
}

function isSame(one: TlsPair, other: TlsPair): boolean {
  return one.cert.equals(other.cert) && one.key.equals(other.key);
}
