CREATE TABLE "webhook_acts" (
	"id" uuid PRIMARY KEY NOT NULL,
	"account_id" uuid NOT NULL,
	"webhook_id" uuid NOT NULL,
	"kind" text NOT NULL,
	"at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "webhook_acts_kind" CHECK (kind in ('replay', 'stop_email'))
);
--> statement-breakpoint
ALTER TABLE "outgoing_mails" ADD COLUMN "account_id" uuid;--> statement-breakpoint
ALTER TABLE "webhooks" ADD COLUMN "replay_until" bigint;--> statement-breakpoint
CREATE INDEX "webhook_acts_account" ON "webhook_acts" USING btree ("account_id","kind","at");--> statement-breakpoint
CREATE INDEX "webhook_acts_age" ON "webhook_acts" USING btree ("at");