import { serviceError, ServiceError } from '../../base/service-error.ts';

/** Translates Fastify's own refusals into catalogue errors; anything else becomes an internal error. */
export function fromFrameworkError(error: unknown, maxBodyBytes: number): ServiceError {
  if (error instanceof ServiceError) return error;
  switch (codeOf(error)) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return serviceError('bodyTooLarge', { limit: maxBodyBytes });
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
    case 'FST_ERR_CTP_EMPTY_TYPE':
      return serviceError('contentTypeNotAllowed');
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return serviceError('bodyInvalid', {
        errors: [{ pointer: '', detail: 'does not have the length of the Content-Length header' }],
      });
    case 'FST_ERR_BAD_URL':
    case 'FST_ERR_MAX_PARAM_LENGTH':
      return serviceError('notFound', { path: '/v1' });
    default:
      return serviceError('internalError', {}, error);
  }
}

function codeOf(error: unknown): unknown {
  return typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
}
