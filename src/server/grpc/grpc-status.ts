import { BinaryWriter } from '@bufbuild/protobuf/wire';
import { Metadata, type StatusObject, status } from '@grpc/grpc-js';
import { type ErrorName, errorEntry } from '../../../generated/errors.ts';
import { errorData, grpcMessage, ServiceError } from '../../core/service-error.ts';

const DOMAIN = 'keyslot';
const ERROR_INFO = 'type.googleapis.com/google.rpc.ErrorInfo';

/**
 * Returns the status that ends a call. The trailing metadata has the stable name of the error (`keyslot-error`), its data as
 * google.rpc.ErrorInfo (`grpc-status-details-bin`), the oldest position after OUT_OF_RANGE (`x-oldest-slot`), the seconds after
 * which a refused call may be retried (`retry-after`), the position of a stream (`x-resume-slot`), and the id of the call
 * (`x-request-id`). An error without a gRPC form becomes an internal one.
 */
export function toGrpcStatus(
  thrown: ServiceError,
  {
    requestId,
    position,
  }: { readonly requestId?: string | undefined; readonly position?: bigint | undefined } = {},
): StatusObject {
  const error = errorEntry(thrown.code).grpc === undefined ? new ServiceError('internalError') : thrown;
  const code = status[errorEntry(error.code).grpc?.status ?? 'INTERNAL'];
  // The library throws for text that is not well-formed, where nobody catches it.
  const details = grpcMessage(error).toWellFormed();
  const metadata = new Metadata();
  metadata.set('keyslot-error', error.code);
  metadata.set('grpc-status-details-bin', encodeStatus(code, details, error));
  const { oldestSlot, retryAfterSeconds } = error.context;
  if (oldestSlot !== undefined) metadata.set('x-oldest-slot', String(oldestSlot));
  if (retryAfterSeconds !== undefined) metadata.set('retry-after', String(retryAfterSeconds));
  if (requestId !== undefined) metadata.set('x-request-id', requestId);
  if (position !== undefined) metadata.set('x-resume-slot', String(position));
  return { code, details, metadata };
}

/** google.rpc.Status: code = 1, message = 2, details = 3. */
function encodeStatus(code: number, message: string, error: ServiceError): Buffer {
  const writer = new BinaryWriter().uint32(8).int32(code).uint32(18).string(message);
  // google.protobuf.Any: type_url = 1, value = 2.
  writer.uint32(26).fork().uint32(10).string(ERROR_INFO).uint32(18).bytes(encodeErrorInfo(error)).join();
  return Buffer.from(writer.finish());
}

/** google.rpc.ErrorInfo: reason = 1, domain = 2, metadata = 3, a map from string to string. */
function encodeErrorInfo(error: ServiceError): Uint8Array {
  const writer = new BinaryWriter().uint32(10).string(reasonOf(error.code)).uint32(18).string(DOMAIN);
  for (const [name, value] of Object.entries(errorData(error) ?? {})) {
    writer.uint32(26).fork().uint32(10).string(name).uint32(18).string(String(value)).join();
  }
  return writer.finish();
}

/** Converts `topicUnknown` to `TOPIC_UNKNOWN`. */
function reasonOf(code: ErrorName): string {
  return code.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();
}
