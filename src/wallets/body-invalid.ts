import { type ServiceError, serviceError } from '../base/service-error.ts';

/** Returns the refusal of a member whose text the schema leaves to the operation. `pointer`: RFC 6901. */
export function bodyInvalid(pointer: string, detail: string): ServiceError {
  return serviceError('bodyInvalid', { errors: [{ pointer, detail }] });
}
