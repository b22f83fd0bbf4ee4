ALTER TABLE "audit_records" ADD COLUMN "changes" text;--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "allowed_networks" text[] DEFAULT '{}' NOT NULL;--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "allowed_methods" text[] DEFAULT '{}' NOT NULL;--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "requests_per_second" integer;--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "requests_per_day" bigint;--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "ends_at" timestamp (3) with time zone;