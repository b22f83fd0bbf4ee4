import { readFile } from 'node:fs/promises';
import { createSecureContext } from 'node:tls';
import type { Logger } from 'pino';

/** A certificate with its chain, and its key, both PEM. */
export type TlsPair = { readonly cert: Buffer; readonly key: Buffer };

/** The TLS settings of a listener. */
export type TlsOptions = TlsPair & {
  /** Calls back with each pair that replaces this one: new connections get it, open ones stay. */
  readonly follow?: (apply: (pair: TlsPair) => void) => void;
};

export type TlsFilesOptions = {
  readonly certFile: string;
  readonly keyFile: string;
  readonly log: Pick<Logger, 'info' | 'error'>;
  /** Interval at which the files are checked. */
  readonly intervalMs?: number;
};

const INTERVAL_MS = 1_000;

/**
 * The TLS files, reloaded when they change. They are compared by content: it does not matter whether they are overwritten,
 * renamed into place, or reached by a link that is repointed. A pair that is half written, or does not match, changes nothing.
 */
export class TlsFiles {
  readonly #options: TlsFilesOptions;
  readonly #followers: ((pair: TlsPair) => void)[] = [];
  readonly #timer: NodeJS.Timeout;
  #current: TlsPair;
  /** The last pair that could not be used: it is reported once. */
  #refused: string | undefined;
  #isLooking = false;

  private constructor(options: TlsFilesOptions, current: TlsPair) {
    this.#options = options;
    this.#current = current;
    this.#timer = setInterval(() => void this.#look(), options.intervalMs ?? INTERVAL_MS).unref();
  }

  /** Reads the files, and checks them until `close`. Rejects when one cannot be read. */
  static async open(options: TlsFilesOptions): Promise<TlsFiles> {
    return new TlsFiles(options, await readPair(options));
  }

  /** The settings for a listener that starts now. */
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

  /** @throws the OpenSSL error of a pair that cannot be used. */
  #use(pair: TlsPair): void {
    createSecureContext({ ...pair });
    this.#current = pair;
    this.#refused = undefined;
    for (const apply of this.#followers) apply(pair);
    const { certFile } = this.#options;
    this.#options.log.info({ certFile }, 'the TLS certificate has changed; new connections use it');
  }

  #refuse(reason: string): void {
    if (reason === this.#refused) return;
    this.#refused = reason;
    const { certFile, keyFile, log } = this.#options;
    log.error(
      { certFile, keyFile, reason },
      'the TLS files have changed and cannot be used; the previous certificate stays in use',
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
