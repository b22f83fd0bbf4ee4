import { createRestCall } from '../../../runtime/rest-call.ts';
import { SERVER_ADDRESS } from './places.ts';
import { sameOriginFetch } from './same-origin-fetch.ts';
import type { NewMember, Session, SessionCredentials, SignInRequest } from './session-types.ts';

const send = createRestCall({ url: SERVER_ADDRESS, fetch: sameOriginFetch });

const call = async <T>(operation: string, method: string, path: string, body?: unknown): Promise<T> =>
  (await send({ operation, method, path: `/account/v1${path}`, body })) as T;

/** The session operations of the account service. They throw RestCallError. */
export const sessions = {
  signIn: (body: SignInRequest) => call<Session>('signIn', 'POST', '/session', body),
  getSession: () => call<Session>('getSession', 'GET', '/session'),
  signOut: () => call<unknown>('signOut', 'DELETE', '/session'),
  switchAccount: (body: { readonly account_id: string }) =>
    call<Session>('switchAccount', 'POST', '/session/account', body),
  confirmSecondFactor: (body: { readonly code: string }) =>
    call<Session>('confirmSecondFactor', 'POST', '/session/confirm', body),
  createCredentials: () => call<SessionCredentials>('createCredentials', 'POST', '/session/credentials'),
  acceptSetupLink: (body: {
    readonly token: string;
    readonly email: string;
    readonly name: string;
    readonly password: string;
  }) => call<NewMember>('acceptSetupLink', 'POST', '/setup-links/accept', body),
  acceptInvitation: (body: { readonly token: string; readonly name: string; readonly password: string }) =>
    call<NewMember>('acceptInvitation', 'POST', '/invitations/accept', body),
  requestPasswordReset: (body: { readonly email: string }) =>
    call<unknown>('requestPasswordReset', 'POST', '/password-resets', body),
  resetPassword: (body: { readonly token: string; readonly password: string }) =>
    call<unknown>('resetPassword', 'POST', '/password-resets/accept', body),
};
