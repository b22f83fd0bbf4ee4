import { fileURLToPath } from 'node:url';
import { type Client, credentials, type GrpcObject, loadPackageDefinition, Metadata } from '@grpc/grpc-js';
import { loadSync, type PackageDefinition } from '@grpc/proto-loader';
import { onTestFinished } from 'vitest';

const MODULES = new URL('../../../node_modules/', import.meta.url);
export const HEALTH = 'grpc-health-check/proto/health/v1/health.proto';
export const REFLECTION = '@grpc/reflection/build/proto/grpc/reflection/v1/reflection.proto';

export type Calls = { readonly [method: string]: (...args: unknown[]) => Stream };
type Stream = {
  on: (event: string, listener: (value: unknown) => void) => Stream;
  write: (request: unknown) => void;
  end: () => void;
  cancel: () => void;
};
type ClientType = new (address: string, channel: unknown) => Client & Calls;

/** A client that knows a service from descriptors only; it is closed when the test ends. */
export const clientOf = (definition: PackageDefinition, name: string, port: number): Calls => {
  const type = name
    .split('.')
    .reduce<unknown>((node, step) => (node as GrpcObject)[step], loadPackageDefinition(definition));
  const client = new (type as ClientType)(`127.0.0.1:${port}`, credentials.createInsecure());
  onTestFinished(() => client.close());
  return client;
};

/** A client of a service whose .proto file a package brings. */
export const standard = (path: string, name: string, port: number): Calls =>
  clientOf(loadSync(fileURLToPath(new URL(path, MODULES)), { enums: String }), name, port);

/** The answer of a unary call. */
export const ask = (
  calls: Calls,
  method: string,
  request: unknown,
  metadata = new Metadata(),
): Promise<unknown> =>
  new Promise((resolve, reject) => {
    calls[method]?.(request, metadata, (error: Error | null, answer: unknown) =>
      error === null ? resolve(answer) : reject(error),
    );
  });

/** The answer of the reflection service to one request. */
export const reflect = (calls: Calls, request: unknown): Promise<Record<string, never>> =>
  new Promise((resolve, reject) => {
    const stream = calls.ServerReflectionInfo?.();
    stream?.on('data', (answer) => resolve(answer as Record<string, never>)).on('error', reject);
    stream?.write(request);
    stream?.end();
  });
