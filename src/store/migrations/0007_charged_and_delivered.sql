ALTER TABLE "idempotency_keys" ADD COLUMN "charged" bigint;--> statement-breakpoint
ALTER TABLE "idempotency_keys" ADD COLUMN "is_drained" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "idempotency_keys" ADD COLUMN "is_made_again" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "reservations" ADD COLUMN "is_charged_when_lost" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "reservations" ADD COLUMN "claim_id" uuid;--> statement-breakpoint
CREATE INDEX "reservations_claim" ON "reservations" USING btree ("claim_id") WHERE closed_at is null and claim_id is not null;