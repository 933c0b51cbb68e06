#!/usr/bin/env node
import '../dist/openchamber-relay.js';
