import type { AppRouter } from '@ts-rest/core';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { CallLimitState } from '../../account/wallet-create-limit.ts';
import type { ErrorName } from '../../../generated/errors.ts';
import type { ConcurrencyLimit } from './concurrency-limit.ts';
import type { RestCaller } from './rest-caller.ts';
import type { AnswerForm } from '../../../generated/wallets/operations.ts';

/** What the endpoint needs to know of an operation. */
export type ServedOperation = {
  readonly method: string;
  /** What a request may be authenticated by; nothing: anyone may call. */
  readonly auth: readonly ('token' | 'session')[];
  /** All of them are needed, of a token. */
  readonly scopes: readonly string[];
  /** One of them is needed, of a session. */
  readonly roles: readonly string[];
  /** Whether a session needs a second factor that was just confirmed. */
  readonly isFresh: boolean;
  /** What the audit log calls it. */
  readonly audit: string;
  readonly idempotent: boolean;
  /** The forms of its answer; the first is the default. */
  readonly forms: readonly AnswerForm[];
};

/** A request and its answer. */
export type Exchange = {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  /** Adds work that continues after the answer. */
  readonly include: (work: Promise<void>) => Promise<void>;
};

/** An answer that ts-rest sends. */
export type RestAnswer = { readonly status: number; readonly body: unknown };

/** A limit that a request counts for. */
export type RateLimited = {
  /** Its name in the rate limit fields. */
  readonly policy: string;
  /** The error of a request beyond it. */
  readonly refusal: ErrorName;
  /** Counts the request of an account, or of a member. @throws ServiceError `refusal`, with its figures. */
  readonly admit: (subject: string) => Promise<CallLimitState>;
};

/** The operations of one document, as the endpoint serves them. */
export type RestService = {
  readonly contract: AppRouter;
  readonly operations: Readonly<Record<string, ServedOperation>>;
  /** Returns the limit that requests of an operation count for; undefined if there is none. */
  readonly limitOf: (operation: string) => RateLimited | undefined;
  /** Bounds the requests that a caller has in progress; undefined if there is no bound. */
  readonly concurrency?: ConcurrencyLimit;
  /** The largest body of its operations; those that anyone may call take less. */
  readonly maxBodyBytes: number;
  /** Serves a request that was admitted. */
  readonly serve: (operation: string, caller: RestCaller, exchange: Exchange) => Promise<RestAnswer>;
};
