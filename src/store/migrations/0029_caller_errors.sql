ALTER TABLE "usage_minutes" ADD COLUMN "caller_errors" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "usage_sums" ADD COLUMN "caller_errors" bigint DEFAULT 0 NOT NULL;