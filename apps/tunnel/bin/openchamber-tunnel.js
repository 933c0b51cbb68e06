#!/usr/bin/env node
import '../dist/openchamber-tunnel.js';
