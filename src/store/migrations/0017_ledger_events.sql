CREATE TABLE "webhook_ledgers" (
	"webhook_id" uuid PRIMARY KEY NOT NULL,
	"network" text NOT NULL,
	"commitment" text NOT NULL,
	"filters" text[] NOT NULL,
	"revision" integer DEFAULT 0 NOT NULL,
	"to_look_up" text[] NOT NULL,
	"slot" bigint,
	"blockhash" text,
	"genesis" text,
	"events" bigint DEFAULT 0 NOT NULL,
	CONSTRAINT "webhook_ledgers_commitment" CHECK (commitment in ('confirmed', 'finalized'))
);
--> statement-breakpoint
ALTER TABLE "webhook_deliveries" DROP CONSTRAINT "webhook_deliveries_state";--> statement-breakpoint
ALTER TABLE "webhook_deliveries" ADD COLUMN "network" text;--> statement-breakpoint
ALTER TABLE "webhook_deliveries" ADD COLUMN "slot" bigint;--> statement-breakpoint
ALTER TABLE "webhook_deliveries" ADD COLUMN "position" bigint;--> statement-breakpoint
ALTER TABLE "webhook_ledgers" ADD CONSTRAINT "webhook_ledgers_webhook_id_webhooks_id_fk" FOREIGN KEY ("webhook_id") REFERENCES "webhooks"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "webhook_deliveries_queue" ON "webhook_deliveries" USING btree ("webhook_id","position") WHERE state = 'queued';--> statement-breakpoint
CREATE INDEX "webhook_deliveries_ledger_age" ON "webhook_deliveries" USING btree ("created_at") WHERE network is not null;--> statement-breakpoint
ALTER TABLE "webhook_deliveries" ADD CONSTRAINT "webhook_deliveries_state" CHECK (state in ('queued', 'waiting', 'delivered', 'failed'));