import type { Server } from '@grpc/grpc-js';
import { loadFileDescriptorSetFromBuffer } from '@grpc/proto-loader';
import { ReflectionService } from '@grpc/reflection';
import { DESCRIPTOR_SET } from '../../../generated/stream/descriptors.ts';

/** Adds the reflection service to a server: tools discover the stream service and its topics without any file. It needs no key. */
export function addReflection(server: Server): void {
  const descriptors = loadFileDescriptorSetFromBuffer(Buffer.from(DESCRIPTOR_SET, 'base64'));
  new ReflectionService(descriptors).addToServer(server);
}
